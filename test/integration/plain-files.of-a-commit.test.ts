import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { progressOf } from '../../shared/jobs/job.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import type { Generation } from '../../shared/storage/generations.ts'
import { generationKey, markerKey, parseMarkerKey } from '../../shared/storage/keys.ts'
import { removal, voided } from '../../shared/storage/manifest.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, keysBelow, viewOf } from '../support/storage/stored-packets.ts'

/** What a run makes of its packet just after the commit. */
const { context } = await ownWorker()
const { generations, records, store, log, metrics, redis } = context

const someOrg = () => `org-${randomUUID()}`

async function committed(name: string, contents: readonly string[], options = {}): Promise<Generation> {
  const generation = await commitPacket(context, name, contents, options)
  return { generation, manifest: (await generations.highest(name))?.manifest as Generation['manifest'] }
}

function on(given: ObjectStore, isEnabled = true) {
  const views = createPacketViews(redis, storageOn(given), { isEnabled, log, metrics })
  return {
    ...views,
    /** Until nothing is left to do for the packet. */
    async committed(...of: Parameters<typeof views.committed>) {
      await views.committed(...of)
      await views.settled()
    },
  }
}
const markersOf = async (org: string) =>
  (await keysBelow(context, `${org}/.generations/`)).flatMap((key) => (parseMarkerKey(key) ? [key] : []))

/** A store that counts requests, and calls `before` before the first copy. */
function watched(before = async () => {}) {
  const requests: string[] = []
  const counted: ObjectStore = {
    ...store,
    list(prefix, options) {
      requests.push('list')
      return store.list(prefix, options)
    },
    get(key) {
      requests.push('get')
      return store.get(key)
    },
    async copy(from, to) {
      if (!requests.includes('copy')) await before()
      requests.push('copy')
      return store.copy(from, to)
    },
  }
  return { counted, requests }
}

describe('of a new name', () => {
  test('the plain files and the marker of a new name are put without listing anything', async () => {
    const org = someOrg()
    const { counted, requests } = watched()
    await on(counted).committed(`${org}/f`, await committed(`${org}/f`, ['1', '2']), true)
    expect(await viewOf(context, org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
    expect(await markersOf(org)).toEqual([markerKey(generationKey(`${org}/f`, 1), 2)])
    expect(requests).toEqual(['copy', 'copy', 'get'])
  })

  test('only the marker of a new name is put when plain files are off', async () => {
    const org = someOrg()
    const { counted, requests } = watched()
    await on(counted, false).committed(`${org}/f`, await committed(`${org}/f`, ['1']), true)
    expect([await viewOf(context, org), await markersOf(org)]).toEqual([
      {},
      [markerKey(generationKey(`${org}/f`, 1), 1)],
    ])
    expect(requests).toEqual([])
  })
})

describe('of a packet that expires', () => {
  const inMs = (ms: number) => ({ expiresAt: new Date(Date.now() + ms).toISOString() })

  test('the marker of a packet that expires says when', async () => {
    const name = `${someOrg()}/f`
    const expiry = inMs(60_000)
    await on(store).committed(name, await committed(name, ['1'], expiry), true)
    expect(await markersOf(name.replace('/f', ''))).toEqual([markerKey(generationKey(name, 1), 1, expiry.expiresAt)])
  })

  test('no plain file is put for a packet that has expired', async () => {
    const org = someOrg()
    await on(store).committed(`${org}/f`, await committed(`${org}/f`, ['1'], inMs(0)), true)
    expect(await viewOf(context, org)).toEqual({})
  })
})

test('the files of the earlier packet of an overwritten name are removed', async () => {
  const org = someOrg()
  await on(store).committed(`${org}/f`, await committed(`${org}/f`, ['1', '2', '3']), true)
  await on(store).committed(`${org}/f`, await committed(`${org}/f`, ['4']), false)
  expect(await viewOf(context, org)).toEqual({ f: '4' })
})

describe('when its copies arrive late', () => {
  test.each([true, false])(
    'when copies arrive late, a packet that was committed before them is shown whole (of a new name: %s)',
    async (isNew) => {
      const org = someOrg()
      const old = await committed(`${org}/f`, ['old 1', 'old 2'])
      const { counted } = watched(async () => {
        await on(store).committed(`${org}/f`, await committed(`${org}/f`, ['new']), false)
      })
      await on(counted).committed(`${org}/f`, old, isNew)
      expect(await viewOf(context, org)).toEqual({ f: 'new' })
    },
  )

  test('when copies arrive late, nothing is shown of a packet that was removed before them', async () => {
    const org = someOrg()
    const old = await committed(`${org}/f`, ['old'])
    const { counted } = watched(async () => {
      await generations.commit(`${org}/f`, removal(), { force: true, taken: () => new Error('taken') })
      await on(store).refresh(`${org}/f`)
    })
    await on(counted).committed(`${org}/f`, old, true)
    expect(await viewOf(context, org)).toEqual({})
  })

  test('when copies arrive late, a packet stays shown under void generations', async () => {
    const org = someOrg()
    const packet = await committed(`${org}/f`, ['1'])
    const { counted } = watched(async () => {
      await generations.commit(`${org}/f`, voided(randomUUID()), { force: true, taken: () => new Error('taken') })
    })
    await on(counted).committed(`${org}/f`, packet, true)
    expect(await viewOf(context, org)).toEqual({ f: '1' })
    expect(await context.packets.list(org, [''])).toEqual(['f'])
  })
})

test('packets that are committed at about the same time are looked after together', async () => {
  const org = someOrg()
  const names = Array.from({ length: 20 }, (_, at) => `${org}/${at}`)
  const packets = await Promise.all(names.map((name) => committed(name, ['1'])))
  for (const name of names) await context.views.markStale(name)
  const overtaken = await committed(`${org}/7`, ['2'])
  const views = createPacketViews(redis, storageOn(store), { isEnabled: true, log, metrics })
  await Promise.all(names.map((name, at) => views.committed(name, packets[at] as Generation, true)))
  await views.settled()
  expect(await viewOf(context, org)).toEqual(Object.fromEntries(names.map((_, at) => [at, at === 7 ? '2' : '1'])))
  expect(overtaken.generation).toBe(2)
  const stale = await context.views.staleBefore(Date.now() + 60_000)
  expect(stale.filter((name) => name.startsWith(org))).toEqual([])
})

test('a packet stays marked as stale when the store fails meanwhile', async () => {
  const name = `${someOrg()}/f`
  const packet = await committed(name, ['1'])
  await context.views.markStale(name)
  const failing = { ...store, copy: () => Promise.reject(new Error('away')) }
  await on(failing).committed(name, packet, true)
  expect(await context.views.staleBefore(Date.now() + 60_000)).toContain(name)
  await on(store).committed(name, packet, true)
  expect(await context.views.staleBefore(Date.now() + 60_000)).not.toContain(name)
})

test('a packet is marked as stale by the run that begins its commit, in case that its worker dies', async () => {
  const jobs = [randomUUID(), randomUUID()].map((id) => ({ id, orgName: someOrg(), fileName: 'f' }))
  for (const one of jobs) {
    await records.create({ ...one, kind: 'publish', order: orderOf({ batchSize: 1, force: false }), subRequests: 1 })
    await records.start(one.id)
  }
  await records.finish(jobs[1]?.id as string, 'cancelled', {})
  for (const one of jobs) await records.beginCommit(one, progressOf('committing', 1), createReport().read())
  const stale = await context.views.staleBefore(Date.now() + 60_000)
  expect(jobs.map(({ orgName }) => stale.includes(`${orgName}/f`))).toEqual([true, false])
})
