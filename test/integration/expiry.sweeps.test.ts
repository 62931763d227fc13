import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { markLatest } from '../../shared/storage/listing/markers.ts'
import { voided } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { openTestStorage, type TestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow, viewOf } from '../support/storage/stored-packets.ts'
import { hour, nothing, sweep } from '../support/storage/sweeps.ts'

const committing = { force: true, taken: () => new Error('taken') }
const expired = (msAgo = 1) => ({ expiresAt: new Date(Date.now() - msAgo).toISOString() })

/** A packet that has expired after its plain files and its marker were made. */
async function expiredPacket(storage: Storage, name: string, msAgo?: number) {
  await commitPacket(storage, name, ['1', '2'], expired(msAgo))
  const [org = '', file = ''] = name.split('/')
  for (const part of [1, 2]) await storage.store.put(`${org}/${file}Part${part}of2`, Buffer.from(String(part)))
  await markLatest(storage.store, storage.generations, name)
}

/** A round of the janitor, by default two hours from now: expired packets have then been expired for an hour. */
const round = (storage: Storage, now = Date.now() + 2 * hour) =>
  sweep(storage, {
    now,
    supersededMs: 1_000 * hour,
    orphanedMs: 1_000 * hour,
    async refresh(name) {
      await refreshPlainFiles(storage.store, storage.generations, name)
      await markLatest(storage.store, storage.generations, name)
    },
  })

const numbers = ({ store }: Storage) => storageOn(store).generations.list('a/f')

describe('a sweep', () => {
  test('a sweep removes a packet that expired an hour ago, then its plain files and later its objects', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    expect(await round(storage)).toEqual({ ...nothing, expired: 1 })
    expect([await numbers(storage), await viewOf(storage, 'a')]).toEqual([[1, 2], {}])
    expect(await storage.reopen().generations.highest('a/f')).toMatchObject({
      generation: 2,
      manifest: { removed: true },
    })
    // Links from before the expiry, and downloads in progress, still need the parts.
    expect((await keysBelow(storage, 'a/.parts/')).length).toBe(2)
    expect(await sweep(storage.reopen())).toEqual({ ...nothing, generations: 1, parts: 2 })
    expect(await numbers(storage)).toEqual([2])
    expect(await round(storage.reopen())).toEqual(nothing)
  })

  test('a sweep makes no request for the rest of a packet whose objects are gone', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    await round(storage)
    await sweep(storage.reopen())
    const requests: string[] = []
    expect(await round(storage.reopen((operation) => requests.push(operation)))).toEqual(nothing)
    // Top directories, generations, parts, requests of jobs, and probes.
    expect(requests).toEqual(Array(5).fill('list'))
  })

  test('a sweep leaves the generation of a packet that expired less than an hour ago, but no plain file', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    await storage.store.put('a/fPart1of2', Buffer.from('changed'))
    expect(await round(storage, Date.now() + hour / 2)).toEqual(nothing)
    expect([await numbers(storage), await viewOf(storage, 'a')]).toEqual([[1], {}])
  })

  test('a sweep leaves packets that have not expired, or that live for ever', async () => {
    const storage = await openTestStorage()
    await commitPacket(storage, 'a/later', ['1'], expired(-3 * hour))
    await commitPacket(storage, 'a/ever', ['1'])
    await expiredPacket(storage, 'a/f')
    await commitPacket(storage, 'a/f', ['3'])
    expect(await round(storage)).toEqual(nothing)
    expect(await viewOf(storage, 'a')).toEqual({ later: '1', ever: '1', f: '3' })
  })

  test('a sweep removes an expired packet below a void generation', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    await storage.generations.commit('a/f', voided(randomUUID()), committing)
    expect(await round(storage.reopen())).toEqual({ ...nothing, expired: 1 })
    expect((await storage.reopen().generations.highest('a/f'))?.manifest.removed).toBe(true)
  })

  test('a sweep removes what others put under the name once the packet is removed: the name belongs to the service', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    await round(storage)
    await storage.store.put('a/f', Buffer.from('of others'))
    expect(await round(storage.reopen())).toEqual(nothing)
    expect([await viewOf(storage, 'a'), await storage.reopen().packets.list('a', [''])]).toEqual([{}, []])
  })
})

describe('a packet published while a sweep removes its predecessor', () => {
  /** Runs `meanwhile` right before the sweep creates the removal. */
  function interrupted(storage: TestStorage, meanwhile: () => Promise<unknown>): Storage {
    const { store } = storage
    let isFirst = true
    return storageOn({
      ...store,
      async create(key, bytes) {
        if (isFirst) await meanwhile()
        isFirst = false
        return store.create(key, bytes)
      },
    })
  }

  test.each([
    ['lives for ever', {}],
    ['expires later', expired(-1_000 * hour)],
  ])('a packet that is published while a sweep removes its predecessor, and that %s, stays', async (_which, expiry) => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    const publish = async () => {
      expect(await commitPacket(storage.reopen(), 'a/f', ['new'], expiry)).toBe(2)
    }
    expect(await round(interrupted(storage, publish))).toEqual(nothing)
    expect([await numbers(storage), await storage.reopen().packets.list('a', [''])]).toEqual([[1, 2], ['f']])
    await round(storage.reopen())
    expect([await numbers(storage), await viewOf(storage, 'a')]).toEqual([[1, 2], { f: 'new' }])
  })

  test('a packet published during ten sweeps of its predecessor is there in the end, whoever comes first', async () => {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    const sweeps = Array.from({ length: 10 }, () => round(storage.reopen()))
    const publishing = storage.reopen()
    const published = commitPacket(publishing, 'a/f', ['new']).then(() =>
      refreshPlainFiles(publishing.store, publishing.generations, 'a/f'),
    )
    const swept = await Promise.all(sweeps)
    await published
    const removals = swept.reduce((sum, each) => sum + each.expired, 0)
    expect(removals).toBeLessThanOrEqual(1)
    expect((await numbers(storage)).length).toBe(2 + removals)
    expect(await storage.reopen().packets.list('a', [''])).toEqual(['f'])
  })
})

test('twenty janitors at once remove an expired packet once', async () => {
  const storage = await openTestStorage()
  await expiredPacket(storage, 'a/f')
  const swept = await Promise.all(Array.from({ length: 20 }, () => round(storage.reopen())))
  expect(swept.reduce((sum, { expired: count }) => sum + count, 0)).toBe(1)
  expect([await numbers(storage), await viewOf(storage, 'a')]).toEqual([[1, 2], {}])
})

test('a janitor killed at any step leaves a packet that nobody sees, and the next one finishes', async () => {
  const steps = 40
  for (let limit = 0; limit < steps; limit++) {
    const storage = await openTestStorage()
    await expiredPacket(storage, 'a/f')
    let requests = 0
    /** The same method, until the process is killed. */
    const counted =
      <Given extends unknown[], Result>(method: (...given: Given) => Result) =>
      (...given: Given): Result => {
        if (requests++ >= limit) throw new Error('killed')
        return method(...given)
      }
    const { store } = storage
    const dying: ObjectStore = {
      ...store,
      list: counted(store.list),
      get: counted(store.get),
      put: counted(store.put),
      create: counted(store.create),
      remove: counted(store.remove),
    }
    const isWhole = await round(storageOn(dying)).then(
      () => true,
      () => false,
    )
    const reader = storage.reopen()
    expect([await reader.packets.list('a', ['']), await reader.generations.current('a/f')]).toEqual([[], null])
    await round(storage.reopen())
    expect([await numbers(storage), await viewOf(storage, 'a')]).toEqual([[1, 2], {}])
    if (isWhole) return expect(limit).toBeGreaterThan(10)
  }
  throw new Error(`a sweep takes more than ${steps} requests`)
})
