import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { generationKey, markerKey, parseMarkerKey } from '../../../shared/storage/keys.ts'
import { untilExpiry } from '../../../shared/storage/links.ts'
import { markLatest } from '../../../shared/storage/listing/markers.ts'
import { expiringAfter, removal } from '../../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../../shared/storage/plain-files.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket, keysBelow, stagePacket } from '../../support/storage/stored-packets.ts'
import { hour, nothing, sweep } from '../../support/storage/sweeps.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T12:00:00.000Z') }))
afterEach(() => void vi.useRealTimers())

const dayMs = 24 * hour
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString()

function start() {
  const store = openMemoryStore()
  return { ...storageOn(store), store }
}
type Started = ReturnType<typeof start>

/** As after a commit, `PLAIN_FILES` included. */
async function refresh({ store, generations }: Pick<Started, 'store' | 'generations'>, name: string) {
  await refreshPlainFiles(store, generations, name)
  await markLatest(store, generations, name)
}

describe('the instant of expiry', () => {
  test('the instant of expiry is so many days after the creation, or absent if the packet lives for ever', () => {
    const manifest = { ...removal(), createdAt: '2026-11-22T12:00:00.001Z' }
    const expiresAt = (days: number | null) => expiringAfter(days, manifest).expiresAt
    expect([30, 0.5, 36_500, null].map(expiresAt)).toEqual([
      '2026-12-22T12:00:00.001Z',
      '2026-11-23T00:00:00.001Z',
      '2126-10-29T12:00:00.001Z',
      undefined,
    ])
  })

  test('the instant of expiry is in the key of the marker', () => {
    const key = generationKey('a/f', 1)
    const marker = markerKey(key, 3, '2026-12-22T12:00:00.001Z')
    expect(marker).toBe(`${key}=3-1797940800001`)
    expect(parseMarkerKey(marker)).toEqual({ manifestKey: key, parts: 3, expiresAt: '2026-12-22T12:00:00.001Z' })
    expect(parseMarkerKey(`${key}=3-`)).toBeNull()
  })

  test('the instant of expiry ends links, which live for at least a second', () => {
    expect([untilExpiry(undefined, 60, Date.now()), untilExpiry(inDays(1), 60, Date.now())]).toEqual([60, 60])
    const left = (ms: number) => untilExpiry(new Date(Date.now() + ms).toISOString(), 60, Date.now())
    expect([left(10_900), left(9_500), left(900), left(-1)]).toEqual([10, 9, 1, 1])
  })
})

describe.each([
  ['with its marker', ['own']],
  ['without a marker', []],
])('a packet %s', (_which, markers) => {
  const seen = async ({ packets, generations }: Started) => [
    await packets.page('a', [''], { limit: 10 }),
    (await generations.current('a/f'))?.generation ?? null,
    (await packets.require('a', 'f').catch(({ status }) => status)).length ?? 404,
    (({ isTaken, latest }) => ({ isTaken, latest }))(await packets.standingOf('a', 'f')),
  ]

  test('a packet is seen until it expires, and then nowhere, although its plain files are still there', async () => {
    const storage = start()
    const expiresAt = inDays(1)
    await commitPacket(storage, 'a/f', ['1', '2'], { expiresAt })
    await refreshPlainFiles(storage.store, storage.generations, 'a/f')
    if (markers.includes('own')) await markLatest(storage.store, storage.generations, 'a/f')
    await storage.store.put('a/fPart2of2', Buffer.from('changed, so no longer known as a copy'))

    vi.setSystemTime(Date.parse(expiresAt) - 1)
    const names = ['fPart1of2', 'fPart2of2']
    const page = { names, expiresAt: [expiresAt, expiresAt], next: null }
    expect(await seen(storage)).toEqual([page, 1, 2, { isTaken: true, latest: 1 }])
    vi.setSystemTime(Date.parse(expiresAt))
    const none = { names: [], expiresAt: [], next: null }
    expect(await seen(storage)).toEqual([none, null, 404, { isTaken: false, latest: 1 }])
    expect((await storage.packets.require('a', 'fPart2of2').catch((error) => error)).status).toBe(404)

    const again = await stagePacket(storage, 'a/f', ['3'])
    const taken = () => new Error('taken')
    expect(await storage.generations.commit('a/f', again, { force: false, taken })).toBe(2)
    await refresh(storage, 'a/f')
    expect(await seen(storage)).toEqual([
      { names: ['f'], expiresAt: [null], next: null },
      2,
      1,
      { isTaken: true, latest: 2 },
    ])
    expect((await keysBelow(storage, 'a/f')).sort()).toEqual(['a/f'])
  })
})

describe('with 1,000 packets', () => {
  const count = 1_000
  const nameOf = (number: number) => `a/f${String(number).padStart(4, '0')}`
  /** As a new process sees them: nothing is cached. */
  const fresh = ({ store }: Started) => ({ ...storageOn(store), store })

  async function filled(expiresAt?: string): Promise<Started> {
    const storage = start()
    for (let number = 0; number < count; number++) {
      await commitPacket(storage, nameOf(number), [String(number)], expiresAt === undefined ? {} : { expiresAt })
      await refresh(storage, nameOf(number))
    }
    storage.store.forget()
    return storage
  }
  const orphanedMs = 36_500 * dayMs

  async function requestsOf(storage: Started, work: (opened: Started) => Promise<unknown>): Promise<number> {
    storage.store.forget()
    await work(fresh(storage))
    return storage.store.requests.length
  }

  test('a listing and a sweep of 1,000 packets take no more requests if the packets expire', async () => {
    const [forever, expiring] = [await filled(), await filled(inDays(1))]
    const works = {
      listing: (opened: Started) => opened.packets.page('a', [''], { limit: 1_000 }),
      sweep: (opened: Started) => sweep(opened, { now: Date.now(), orphanedMs }),
      sweepWithPlainFiles: (opened: Started) =>
        sweep(opened, { now: Date.now(), orphanedMs, refresh: (name) => refresh(opened, name) }),
    }
    const costs = async (storage: Started) => {
      const requests: Record<string, number> = {}
      for (const [what, work] of Object.entries(works)) requests[what] = await requestsOf(storage, work)
      return requests
    }
    const before = await costs(forever)
    expect(await costs(expiring)).toEqual(before)
    vi.setSystemTime(Date.now() + dayMs)
    expect(await requestsOf(expiring, works.listing)).toBeLessThanOrEqual(before.listing as number)
    expect([before.listing, before.sweep].map((requests = 0) => requests < 20)).toEqual([true, true])
  })

  test('a sweep of 1,000 packets of which ten have expired reads no manifest of the others', async () => {
    const storage = await filled(inDays(2))
    for (let number = 0; number < 10; number++) {
      await commitPacket(storage, nameOf(number * 100), ['x'], { expiresAt: inDays(1) })
      await refresh(storage, nameOf(number * 100))
    }
    vi.setSystemTime(Date.now() + dayMs + hour + 1)
    storage.store.forget()
    const supersededMs = orphanedMs
    expect(await sweep(fresh(storage), { now: Date.now(), orphanedMs, supersededMs })).toEqual({
      ...nothing,
      expired: 10,
    })
    const created = storage.store.requests.filter((request) => request.startsWith('create '))
    expect(created).toEqual(Array.from({ length: 10 }, (_, at) => `create ${generationKey(nameOf(at * 100), 3)}`))
    expect(storage.store.requests.filter((request) => request.startsWith('get ')).length).toBeLessThanOrEqual(10)
  })
})
