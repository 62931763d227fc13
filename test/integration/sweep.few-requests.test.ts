import { expect, test } from 'vitest'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { generationKey, markerKey } from '../../shared/storage/keys.ts'
import { sweep } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow, viewOf } from '../support/storage/stored-packets.ts'

const { context } = await ownWorker()
const { redis, log, metrics } = context
const org = 'org'

/** A bucket with packets of two parts, and their views. */
async function published(isEnabled: boolean, count: number) {
  const storage = await openTestStorage()
  const views = createPacketViews(redis, storage, { isEnabled, log, metrics })
  for (let index = 0; index < count; index++) {
    await commitPacket(storage, `${org}/f${index}`, ['1', '2'])
    await views.refresh(`${org}/f${index}`)
  }
  return storage
}

type Storage = Awaited<ReturnType<typeof published>>

/** A sweep by a process of its own. @returns the number of its requests to the store. */
async function requestsOfSweep(storage: Storage, isEnabled: boolean): Promise<number> {
  let requests = 0
  const fresh = storage.reopen(() => {
    requests++
  })
  const views = createPacketViews(redis, fresh, { isEnabled, log, metrics })
  await sweep({ ...context, ...fresh, views }, Date.now(), new AbortController().signal)
  return requests
}

test.each([
  ['two requests for a packet whose views are right', true, 2],
  ['one request for a packet that is right, without plain files', false, 1],
])('a sweep takes %s', async (_, isEnabled, each) => {
  const requestsFor = async (count: number) => requestsOfSweep(await published(isEnabled, count), isEnabled)
  expect((await requestsFor(9)) - (await requestsFor(4))).toBe(5 * each)
})

test.each<[string, boolean, (storage: Storage) => Promise<unknown>]>([
  ['lacks a file', true, ({ store }) => store.remove('org/f1Part2of2')],
  ['has a file that was changed', true, ({ store }) => store.put('org/f1Part2of2', Buffer.from('another'))],
  ['has a file too many', true, ({ store }) => store.put('org/f1Part3of3', Buffer.from('3'))],
  ['lacks its marker', true, ({ store }) => store.remove(markerKey(generationKey('org/f1', 1), 2))],
  ['lacks its marker', false, ({ store }) => store.remove(markerKey(generationKey('org/f1', 1), 2))],
])('a sweep mends a packet that %s (plain files: %s)', async (_, isEnabled, harm) => {
  const storage = await published(isEnabled, 2)
  const whole = { view: await viewOf(storage, org), keys: await keysBelow(storage, '') }
  await harm(storage)
  expect({ view: await viewOf(storage, org), keys: await keysBelow(storage, '') }).not.toEqual(whole)
  await requestsOfSweep(storage, isEnabled)
  expect({ view: await viewOf(storage, org), keys: await keysBelow(storage, '') }).toEqual(whole)
})
