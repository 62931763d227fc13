import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { ObserveCall } from '../../shared/observability/timed.ts'
import { createGenerations, removal, voided } from '../../shared/storage/generations.ts'
import { generationKey, parseGenerationKey, probeKey, requestKey } from '../../shared/storage/keys.ts'
import { openMinioStore } from '../../shared/storage/minio-store.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import { type SweepRules, sweepStorage } from '../../shared/storage/sweep.ts'
import { commitPacket, keysBelow, stagePacket } from '../support/stored-packets.ts'

const { storage: settings } = readConfig('worker', inject('service').env)
const hour = 3_600_000

/** A sweep goes through the whole bucket, so each test has one of its own. */
async function emptyBucket(observe?: ObserveCall): Promise<Storage> {
  const store = openMinioStore({ ...settings, bucket: `sweep-${randomUUID()}` }, observe)
  await store.prepare()
  for await (const { key } of store.list('')) await store.remove(key)
  return storageOn(store)
}

/** Sweeps as if it were an hour later; what is not given is old, and nobody's. */
const sweep = (storage: Storage, rules: Partial<SweepRules> = {}) =>
  sweepStorage(storage, {
    now: Date.now() + hour,
    supersededMs: 0,
    orphanedMs: 0,
    isAlive: async () => false,
    repairView: async () => {},
    signal: new AbortController().signal,
    ...rules,
  })

const remove = ({ generations }: Storage, name: string) =>
  generations.commit(name, removal(), { force: true, taken: () => new Error('taken') })
const nothing = { generations: 0, parts: 0, requests: 0, probes: 0 }

/** The generations of every packet were created so many hours ago, by the store's clock. */
const generationsOfAges = ({ store }: Storage, hours: readonly number[]) =>
  storageOn({
    ...store,
    async *list(prefix, options) {
      for await (const object of store.list(prefix, options)) {
        const age = hours[(parseGenerationKey(object.key)?.generation ?? 0) - 1]
        yield age === undefined ? object : { ...object, modifiedAt: Date.now() - age * hour }
      }
    },
  })

describe('superseded generations', () => {
  test('count from the commit that superseded them, however long before its manifest was made', async () => {
    const storage = await emptyBucket()
    const longAgo = { createdAt: new Date(0).toISOString() }
    for (const content of ['1', '2']) await commitPacket(storage, 'a/f', [content], longAgo)
    expect(await sweep(storage, { now: Date.now(), supersededMs: hour })).toEqual(nothing)
  })

  test('stay while their job is unfinished: a late run of it must find that it has committed', async () => {
    const storage = await emptyBucket()
    const jobId = randomUUID()
    await commitPacket(storage, 'a/f', ['1'], { jobId })
    await storage.generations.commit('a/f', voided(randomUUID()), { force: true, taken: () => new Error('taken') })
    await commitPacket(storage, 'a/f', ['2'])
    expect(await sweep(storage, { isAlive: async (id) => id === jobId })).toEqual({ ...nothing, generations: 1 })
    expect(await storage.generations.ofJob('a/f', jobId)).toBe(1)
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 1, parts: 1 })
  })

  test('that are void go when they are below another, and the packet below them stays', async () => {
    const storage = await emptyBucket()
    const fail = () =>
      storage.generations.commit('a/f', voided(randomUUID()), { force: true, taken: () => new Error('taken') })
    await commitPacket(storage, 'a/f', ['1'])
    for (let count = 0; count < 3; count++) await fail()
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 2 })
    const fresh = storageOn(storage.store)
    expect([await fresh.generations.list('a/f'), (await fresh.generations.current('a/f'))?.generation]).toEqual([
      [1, 4],
      1,
    ])
  })

  test('of a name with many are swept with a few requests each, and those that stay with none', async () => {
    const requests: string[] = []
    const storage = await emptyBucket((operation) => requests.push(operation))
    for (let count = 0; count < 40; count++) await commitPacket(storage, 'a/f', ['1'])
    requests.length = 0
    await sweep(storageOn(storage.store), { now: Date.now(), supersededMs: hour, orphanedMs: hour })
    expect(requests.length).toBeLessThan(10)
    requests.length = 0
    await sweep(storageOn(storage.store))
    // Of each: its manifest read, its manifest and its part removed.
    expect(requests.length).toBeLessThan(3 * 40 + 10)
  })

  test('go with their parts when their successors are old enough, the highest stays', async () => {
    const storage = await emptyBucket()
    for (const contents of [['1', '2'], ['3'], ['4'], ['5']]) await commitPacket(storage, 'a/f', contents)
    const aged = generationsOfAges(storage, [9, 8, 2, 1])
    const rules = { now: Date.now(), supersededMs: 3 * hour }
    expect(await sweep(aged, rules)).toEqual({ ...nothing, generations: 1, parts: 2 })
    expect(await storage.generations.list('a/f')).toEqual([2, 3, 4])
    expect((await keysBelow(storage, 'a/.parts/')).length).toBe(3)
    expect(await sweep(aged, rules)).toEqual(nothing)
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 2, parts: 2 })
    const { parts } = (await storageOn(storage.store).generations.current('a/f'))?.manifest ?? { parts: [] }
    expect(await keysBelow(storage, 'a/')).toEqual([generationKey('a/f', 4), ...parts.map(({ key }) => key)])
  })

  test('of a removed packet go, and the word that it was removed stays', async () => {
    const storage = await emptyBucket()
    await commitPacket(storage, 'a/b/f', ['1', '2'])
    await remove(storage, 'a/b/f')
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 1, parts: 2 })
    expect(await keysBelow(storage, 'a/')).toEqual([generationKey('a/b/f', 2)])
    expect(await sweep(storage)).toEqual(nothing)
  })

  test('go manifest first: a sweep that fails in between leaves orphans, which the next one takes', async () => {
    const storage = await emptyBucket()
    await commitPacket(storage, 'a/f', ['1', '2'])
    await commitPacket(storage, 'a/f', ['3'])
    const removed: string[] = []
    const failing = storageOn({
      ...storage.store,
      async remove(key) {
        if (key.includes('/.parts/')) throw errors.storeAway()
        removed.push(key)
        await storage.store.remove(key)
      },
    })
    await expect(sweep(failing)).rejects.toMatchObject({ code: 'storeAway' })
    expect(removed).toEqual([generationKey('a/f', 1)])
    expect((await keysBelow(storage, 'a/.parts/')).length).toBe(3)
    const fresh = storageOn(storage.store)
    expect(await sweep(fresh)).toEqual({ ...nothing, parts: 2 })
    expect((await fresh.generations.current('a/f'))?.generation).toBe(2)
  })
})

describe('parts that no generation refers to', () => {
  test('go when they are old and their job is not alive, whichever of its runs is the latest', async () => {
    const storage = await emptyBucket()
    const [alive, dead] = [randomUUID(), randomUUID()]
    for (const run of ['one', 'other']) await stagePacket(storage, 'a/f', ['1', '2'], { jobId: alive, run })
    await stagePacket(storage, 'b/c/g', ['3', '4'], { jobId: dead })
    // As an earlier version named them.
    await stagePacket(storage, 'b/c/g', ['5'], { jobId: dead, run: '1' })
    const isAlive = async (jobId: string) => jobId === alive
    expect(await sweep(storage, { isAlive, orphanedMs: 2 * hour })).toEqual(nothing)
    expect(await sweep(storage, { isAlive })).toEqual({ ...nothing, parts: 3 })
    const left = await keysBelow(storage, '')
    expect(left.map((key) => key.includes(`.${alive}/`))).toEqual([true, true, true, true])
  })

  test('stay as long as one of their run is young, for that is still being written', async () => {
    const storage = await emptyBucket()
    await stagePacket(storage, 'a/f', ['1', '2', '3'])
    const aged = storageOn({
      ...storage.store,
      async *list(prefix) {
        for await (const object of storage.store.list(prefix)) {
          yield { ...object, modifiedAt: object.key.endsWith('00003') ? Date.now() : 0 }
        }
      },
    })
    expect(await sweep(aged, { now: Date.now(), orphanedMs: hour })).toEqual(nothing)
  })

  test('stay when they are committed while they are looked at', async () => {
    const storage = await emptyBucket()
    const manifest = await stagePacket(storage, 'a/f', ['1', '2'])
    const isAlive = async () => {
      await createGenerations(storage.store).commit('a/f', manifest, { force: false, taken: () => new Error('taken') })
      return false
    }
    expect(await sweep(storage, { isAlive })).toEqual(nothing)
    expect((await keysBelow(storage, 'a/.parts/')).length).toBe(2)
  })

  test('of a losing run go, those of the winning one of the same job stay', async () => {
    const storage = await emptyBucket()
    const jobId = randomUUID()
    await stagePacket(storage, 'a/f', ['lost'], { jobId })
    await commitPacket(storage, 'a/f', ['won'], { jobId })
    expect(await sweep(storage)).toEqual({ ...nothing, parts: 1 })
    const [part = ''] = await keysBelow(storage, 'a/.parts/')
    expect(String(await storage.store.get(part))).toBe('won')
  })
})

describe('requests and probes', () => {
  test('go when they are old, requests when their job is not alive', async () => {
    const storage = await emptyBucket()
    const [alive, dead] = [randomUUID(), randomUUID()]
    const put = (key: string) => storage.store.put(key, Buffer.from('{}'))
    await Promise.all([requestKey('a/b', alive), requestKey('a', dead), probeKey('p'), 'a/file', 'a/.org'].map(put))
    const isAlive = async (jobId: string) => jobId === alive
    expect(await sweep(storage, { isAlive, orphanedMs: 2 * hour })).toEqual(nothing)
    expect(await sweep(storage, { isAlive })).toEqual({ ...nothing, requests: 1, probes: 1 })
    expect(await keysBelow(storage, '')).toEqual([requestKey('a', alive), 'a/.org', 'a/file'])
  })
})

test('a sweep brings every packet’s plain files up to date, removed ones too', async () => {
  const storage = await emptyBucket()
  for (const name of ['a/f', 'a/g', 'b/f']) await commitPacket(storage, name, ['1'])
  await remove(storage, 'a/g')
  const repaired: string[] = []
  await sweep(storage, { repairView: async (name) => void repaired.push(name) })
  expect(repaired).toEqual(['a/f', 'a/g', 'b/f'])
})

test('a sweep that is told to stop removes nothing more', async () => {
  const storage = await emptyBucket()
  for (const content of ['1', '2', '3']) await commitPacket(storage, 'a/f', [content])
  const stopping = new AbortController()
  const once = storageOn({
    ...storage.store,
    async remove(key) {
      await storage.store.remove(key)
      stopping.abort(new Error('stopping'))
    },
  })
  await expect(sweep(once, { signal: stopping.signal })).rejects.toThrow('stopping')
  expect(await createGenerations(storage.store).list('a/f')).toEqual([2, 3])
  expect((await keysBelow(storage, 'a/.parts/')).length).toBe(3)
})
