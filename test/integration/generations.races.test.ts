import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGenerations } from '../../shared/storage/generations.ts'
import { generationsOf, partKey } from '../../shared/storage/keys.ts'
import { type Manifest, removal, voided } from '../../shared/storage/manifest.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { store, reopen } = await openTestStorage()

const someName = () => `org-${randomUUID()}/packet`
const taken = () => new Error('taken')
const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

function manifest(name: string, jobId: string = randomUUID(), attempt = 1): Manifest {
  const parts = [
    { key: partKey(name, jobId, `run-${attempt}`, 0, 1), bytes: 7, pairs: 1, etag: 'e', sha256: '', statements: {} },
  ]
  return { jobId, attempt, createdAt: '2024-02-29T12:00:00.000Z', parts }
}

/** The stored manifests, bypassing any cache. */
const committed = async (name: string) => {
  const fresh = createGenerations(store)
  return Promise.all((await fresh.list(name)).map((number) => fresh.read(name, number)))
}

/** Commits concurrently, each as if from its own process. */
const race = (name: string, manifests: readonly Manifest[], force: boolean) =>
  Promise.allSettled(manifests.map((each) => reopen().generations.commit(name, each, { force, taken })))

describe('of twenty concurrent commits', () => {
  test('of twenty concurrent commits without force exactly one wins; for the others the name is taken', async () => {
    const name = someName()
    const manifests = Array.from({ length: 20 }, () => manifest(name))
    const outcomes = await race(name, manifests, false)
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    const refused = { status: 'rejected', reason: taken() }
    expect(outcomes).toEqual(outcomes.map((_, at) => (at === winner ? { status: 'fulfilled', value: 1 } : refused)))
    expect(await committed(name)).toEqual([manifests[winner]])
  })

  test('of twenty concurrent commits with force, all win, each with its own number', async () => {
    const name = someName()
    const manifests = Array.from({ length: 20 }, () => manifest(name))
    const outcomes = await race(name, manifests, true)
    const numbers = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 0))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbersTo(20))
    expect(await committed(name)).toEqual(numbersTo(20).map((number) => manifests[numbers.indexOf(number)]))
  })

  test.each([false, true])(
    'twenty concurrent commits by attempts of one job all succeed, with one manifest (force: %s)',
    async (force) => {
      const name = someName()
      const jobId = randomUUID()
      const manifests = numbersTo(20).map((attempt) => manifest(name, jobId, attempt))
      const outcomes = await race(name, manifests, force)
      expect(outcomes).toEqual(manifests.map(() => ({ status: 'fulfilled', value: 1 })))
      const made = await committed(name)
      expect(made).toEqual([manifests.find(({ attempt }) => attempt === made[0]?.attempt)])
    },
  )
})

/** A store with `create` replaced. */
const storeThat = (create: ObjectStore['create']): ObjectStore => ({ ...store, create })
const commitOn = (unsure: ObjectStore, name: string, mine: Manifest, force = false) =>
  createGenerations(unsure).commit(name, mine, { force, taken })

describe('a commit whose answer is lost', () => {
  test.each([false, true])(
    'a commit whose answer is lost succeeds when the manifest was written (force: %s)',
    async (force) => {
      const name = someName()
      const mine = manifest(name)
      const unsure = storeThat(async (key, bytes) => {
        await store.create(key, bytes)
        return 'lost'
      })
      expect(await commitOn(unsure, name, mine, force)).toBe(1)
      expect(await committed(name)).toEqual([mine])
    },
  )

  test.each([false, true])(
    'a commit whose answer is lost fails retryably when nothing was written (force: %s)',
    async (force) => {
      const name = someName()
      const unsure = storeThat(async () => 'lost')
      const outcome = commitOn(unsure, name, manifest(name), force)
      await expect(outcome).rejects.toMatchObject({ status: 503, code: 'storeAway', retryable: true })
      expect(await committed(name)).toEqual([])
    },
  )

  test('a commit whose answer is lost is a conflict when another job wrote that generation meanwhile', async () => {
    const name = someName()
    const other = manifest(name)
    const unsure = storeThat(async (key) => {
      await store.create(key, Buffer.from(JSON.stringify(other)))
      return 'lost'
    })
    await expect(commitOn(unsure, name, manifest(name))).rejects.toThrow(taken())
    expect(await committed(name)).toEqual([other])
  })

  test('a forced commit whose answer is lost continues when another job wrote that generation meanwhile', async () => {
    const name = someName()
    const [other, mine] = [manifest(name), manifest(name)]
    const outcomes: string[] = []
    const unsure = storeThat(async (key, bytes) => {
      if (outcomes.length === 0) await store.create(key, Buffer.from(JSON.stringify(other)))
      outcomes.push(await store.create(key, bytes))
      return 'lost'
    })
    expect(await commitOn(unsure, name, mine, true)).toBe(2)
    expect(outcomes).toEqual(['exists', 'created'])
    expect(await committed(name)).toEqual([other, mine])
  })
})

test.each([
  ['a removal', removal],
  ['a void generation', () => voided(randomUUID())],
])('a commit whose number %s takes first is no conflict and takes the next', async (_what, other) => {
  const name = someName()
  const mine = manifest(name)
  let isFirst = true
  const overtaken = storeThat(async (key, bytes) => {
    if (isFirst) await store.create(key, Buffer.from(JSON.stringify(other())))
    isFirst = false
    return store.create(key, bytes)
  })
  expect(await commitOn(overtaken, name, mine)).toBe(2)
})

test('a run overtaken by another run of its job succeeds, though the packet was removed and the name reused', async () => {
  const name = someName()
  const mine = manifest(name)
  let isFirst = true
  const overtaken: ObjectStore = {
    ...store,
    async *list(prefix, options) {
      yield* store.list(prefix, options)
      if (prefix !== generationsOf(name) || !isFirst) return
      isFirst = false
      await commitOn(store, name, mine)
      await commitOn(store, name, removal(), true)
      await store.put(name, Buffer.from("another program's file"))
    },
  }
  expect(await commitOn(overtaken, name, { ...mine, attempt: 2 })).toBe(1)
})

test('a commit whose number already exists succeeds when the earlier write was its own', async () => {
  const name = someName()
  const mine = manifest(name)
  const repeating = storeThat(async (key, bytes) => {
    await store.create(key, bytes)
    return store.create(key, bytes)
  })
  expect(await commitOn(repeating, name, mine)).toBe(1)
  expect(await committed(name)).toEqual([mine])
})

test('a packet whose highest generation is listed but does not exist is reported damaged, not missing', async () => {
  const name = someName()
  await commitOn(store, name, manifest(name))
  const blind = createGenerations({ ...store, get: async () => null })
  await expect(blind.highest(name)).rejects.toMatchObject({ status: 500, code: 'packetDamaged' })
})

test('a generation swept during lookup gives way to the next', async () => {
  const name = someName()
  const newer = manifest(name)
  await commitOn(store, name, manifest(name))
  let reads = 0
  const sweeping = createGenerations({
    ...store,
    async get(key) {
      if (reads++ > 0) return store.get(key)
      await commitOn(store, name, newer, true)
      await store.remove(key)
      return null
    },
  })
  expect(await sweeping.highest(name)).toEqual({ generation: 2, manifest: newer })
})
