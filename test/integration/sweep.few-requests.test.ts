import { expect, test } from 'vitest'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { generationKey, markerKey } from '../../shared/storage/keys.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow, viewOf } from '../support/storage/stored-packets.ts'
import { sweep } from '../support/storage/sweeps.ts'

const { context } = await ownWorker()
const { redis, log, metrics } = context
const names = Array.from({ length: 5 }, (_, index) => `org/f${index}`)

/** A bucket with five packets of two parts, with their views. */
async function published(isEnabled: boolean) {
  const storage = await openTestStorage()
  const views = createPacketViews(redis, storage, { isEnabled, log, metrics })
  for (const name of names) {
    await commitPacket(storage, name, ['1', '2'])
    await views.refresh(name)
  }
  return storage
}

type Storage = Awaited<ReturnType<typeof published>>

/** A sweep by a process of its own. @returns the number of its requests to the store, per packet, rounded down. */
async function requestsOfSweep(storage: Storage, isEnabled: boolean): Promise<number> {
  let requests = 0
  const fresh = storage.reopen(() => {
    requests++
  })
  const views = createPacketViews(redis, fresh, { isEnabled, log, metrics })
  const refresh = views.refreshListed
  await sweep(fresh, {
    refresh: (name, listed) => (listed ? refresh(name, listed) : views.refresh(name)),
    orphanedMs: Number.POSITIVE_INFINITY,
  })
  return Math.floor(requests / names.length)
}

test('a sweep takes two requests for a packet whose views are right, and one without plain files', async () => {
  // Besides, five or so for the whole bucket, which is one more for each of five packets.
  expect(await requestsOfSweep(await published(true), true)).toBeLessThanOrEqual(3)
  expect(await requestsOfSweep(await published(false), false)).toBeLessThanOrEqual(2)
})

test.each<[string, boolean, (storage: Storage) => Promise<unknown>]>([
  ['lacks a file', true, ({ store }) => store.remove('org/f1Part2of2')],
  ['has a file that was changed', true, ({ store }) => store.put('org/f1Part2of2', Buffer.from('another'))],
  ['has a file too many', true, ({ store }) => store.put('org/f1Part3of3', Buffer.from('3'))],
  ['lacks its marker', true, ({ store }) => store.remove(markerKey(generationKey('org/f1', 1), 2))],
  ['lacks its marker', false, ({ store }) => store.remove(markerKey(generationKey('org/f1', 1), 2))],
])('a sweep mends a packet that %s (plain files: %s)', async (_, isEnabled, harm) => {
  const storage = await published(isEnabled)
  const whole = { view: await viewOf(storage, 'org'), keys: await keysBelow(storage, '') }
  await harm(storage)
  expect({ view: await viewOf(storage, 'org'), keys: await keysBelow(storage, '') }).not.toEqual(whole)
  await requestsOfSweep(storage, isEnabled)
  expect({ view: await viewOf(storage, 'org'), keys: await keysBelow(storage, '') }).toEqual(whole)
})
