import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as errors from '../../shared/errors/catalogue.ts'
import { generationKey, parseGenerationKey } from '../../shared/storage/keys.ts'
import { removal, voided } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow } from '../support/storage/stored-packets.ts'
import { hour, nothing, sweep } from '../support/storage/sweeps.ts'

const remove = ({ generations }: Storage, name: string) =>
  generations.commit(name, removal(), { force: true, taken: () => new Error('taken') })
/** Sets the age of each generation of every packet, in hours, on the store's clock. */
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
  test('superseded generations age from the commit that superseded them, however old their manifest', async () => {
    const storage = await openTestStorage()
    const longAgo = { createdAt: new Date(0).toISOString() }
    for (const content of ['1', '2']) await commitPacket(storage, 'a/f', [content], longAgo)
    expect(await sweep(storage, { now: Date.now(), supersededMs: hour })).toEqual(nothing)
  })

  test('superseded generations stay while their job is unfinished: a late run must find its commit', async () => {
    const storage = await openTestStorage()
    const jobId = randomUUID()
    await commitPacket(storage, 'a/f', ['1'], { jobId })
    await storage.generations.commit('a/f', voided(randomUUID()), { force: true, taken: () => new Error('taken') })
    await commitPacket(storage, 'a/f', ['2'])
    expect(await sweep(storage, { isAlive: async (id) => id === jobId })).toEqual({ ...nothing, generations: 1 })
    expect(await storage.generations.ofJob('a/f', jobId)).toBe(1)
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 1, parts: 1 })
  })

  test('void generations are removed when another is above them, and the packet below them stays', async () => {
    const storage = await openTestStorage()
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

  test('a sweep takes a few requests for each superseded generation, and none for the ones that stay', async () => {
    const requests: string[] = []
    const storage = (await openTestStorage()).reopen((operation) => requests.push(operation))
    for (let count = 0; count < 40; count++) await commitPacket(storage, 'a/f', ['1'])
    requests.length = 0
    await sweep(storageOn(storage.store), { now: Date.now(), supersededMs: hour, orphanedMs: hour })
    expect(requests.length).toBeLessThan(10)
    requests.length = 0
    await sweep(storageOn(storage.store))
    // For each: its manifest is read, then its manifest and its part are removed.
    expect(requests.length).toBeLessThan(3 * 40 + 10)
  })

  test('superseded generations go with their parts when their successors are old; the highest stays', async () => {
    const storage = await openTestStorage()
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

  test('superseded generations of a removed packet are removed, and its removal marker stays', async () => {
    const storage = await openTestStorage()
    await commitPacket(storage, 'a/b/f', ['1', '2'])
    await remove(storage, 'a/b/f')
    expect(await sweep(storage)).toEqual({ ...nothing, generations: 1, parts: 2 })
    expect(await keysBelow(storage, 'a/')).toEqual([generationKey('a/b/f', 2)])
    expect(await sweep(storage)).toEqual(nothing)
  })

  test('superseded generations of a removed packet go after its plain files, which are known by them', async () => {
    const storage = await openTestStorage()
    await commitPacket(storage, 'a/f', ['1'])
    await storage.store.put('a/f', Buffer.from('1'))
    await remove(storage, 'a/f')
    const refresh = (name: string) => refreshPlainFiles(storage.store, storage.generations, name)
    expect(await sweep(storage, { refresh })).toEqual({ ...nothing, generations: 1, parts: 1 })
    expect(await storage.reopen().packets.list('a', [''])).toEqual([])
  })

  test('superseded generations lose their manifest first: a sweep that fails leaves orphans for the next', async () => {
    const storage = await openTestStorage()
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
