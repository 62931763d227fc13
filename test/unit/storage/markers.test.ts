import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { generationKey, markerKey, parseGenerationKey } from '../../../shared/storage/keys.ts'
import { markLatest } from '../../../shared/storage/listing/markers.ts'
import { type Manifest, removal, voided } from '../../../shared/storage/manifest.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket, keysBelow } from '../../support/storage/stored-packets.ts'
import { sweep as sweepAll } from '../../support/storage/sweeps.ts'

const name = 'a/f'
const options = { force: true, taken: () => new Error('taken') }
const contents = (count: number) => Array.from({ length: count }, (_, index) => String(index))
function start() {
  const store = openMemoryStore()
  return { ...storageOn(store), store }
}
type Started = ReturnType<typeof start>

const mark = ({ store, generations }: Started) => markLatest(store, generations, name)
const markersOf = async (storage: Started) =>
  (await keysBelow(storage, 'a/.generations/')).filter((key) => parseGenerationKey(key) === null)
const commit = ({ generations }: Started, manifest: Manifest) => generations.commit(name, manifest, options)

const sweep = ({ store }: Started, refresh = async () => {}) => sweepAll(storageOn(store), { refresh })

describe('a marker', () => {
  test.each([1, 2, 12])('a marker records that a packet has %i parts', async (parts) => {
    const storage = start()
    await commitPacket(storage, name, contents(parts))
    await mark(storage)
    expect(await markersOf(storage)).toEqual([markerKey(generationKey(name, 1), parts)])
  })

  test('a marker records 0 parts for a removal, and the visible parts for a void generation', async () => {
    const storage = start()
    await commit(storage, voided(randomUUID()))
    await mark(storage)
    await commitPacket(storage, name, contents(3))
    await commit(storage, voided(randomUUID()))
    await mark(storage)
    await commit(storage, removal())
    await mark(storage)
    const expected = [
      [4, 0],
      [3, 3],
      [1, 0],
    ] as const
    expect(await markersOf(storage)).toEqual(
      expected.map(([number, parts]) => markerKey(generationKey(name, number), parts)),
    )
  })

  test('a marker is written once, and not for a missing packet', async () => {
    const storage = start()
    await mark(storage)
    await commitPacket(storage, name, contents(1))
    await mark(storage)
    storage.store.forget()
    await mark(storage)
    expect(storage.store.requests).toEqual([expect.stringMatching(/^list /)])
  })

  test('a marker is never returned as a generation', async () => {
    const storage = start()
    const jobs: string[] = []
    for (let number = 1; number <= 30; number++) {
      jobs.push(randomUUID())
      const jobId = jobs.at(-1) as string
      expect(await commitPacket(storage, name, contents(2), { jobId })).toBe(number)
      await mark(storage)
    }
    const { generations } = storageOn(storage.store)
    expect(await generations.list(name)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
    expect(await generations.above(name, 17)).toEqual(Array.from({ length: 14 }, (_, index) => 30 - index))
    expect(await Promise.all([1, 30].map((number) => generations.ofJob(name, jobs[number - 1] as string)))).toEqual([
      1, 30,
    ])
    expect((await generations.current(name))?.generation).toBe(30)
  })

  test('a marker without its generation is ignored', async () => {
    const { store, packets, generations } = start()
    await store.put(markerKey(generationKey(name, 1), 2), Buffer.alloc(0))
    expect([await packets.list('a', ['']), await generations.current(name)]).toEqual([[], null])
  })
})

describe('a sweep', () => {
  test('a sweep removes a marker before its generation, and keeps the latest of both', async () => {
    const storage = start()
    for (const count of [1, 2, 3]) {
      await commitPacket(storage, name, contents(count))
      await mark(storage)
    }
    storage.store.forget()
    await sweep(storage)
    const removed = storage.store.requests.filter((request) => request.startsWith('remove a/.generations'))
    const inOrder = [1, 2].flatMap((number) => [
      markerKey(generationKey(name, number), number),
      generationKey(name, number),
    ])
    expect(removed).toEqual(inOrder.map((key) => `remove ${key}`))
    expect(await keysBelow(storage, 'a/.generations/')).toEqual([
      generationKey(name, 3),
      markerKey(generationKey(name, 3), 3),
    ])
  })

  test('a sweep removes an orphaned marker, unless it is recent', async () => {
    const storage = start()
    const late = markerKey(generationKey(name, 1), 1)
    await commitPacket(storage, name, contents(1))
    await commitPacket(storage, name, contents(2))
    await sweep(storage)
    await storage.store.put(late, Buffer.alloc(0))
    await sweepAll(storage, { now: Date.now(), orphanedMs: 60_000 })
    expect(await markersOf(storage)).toEqual([late])
    await sweep(storage)
    expect(await markersOf(storage)).toEqual([])
  })
})
