import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { dutyKey, openJobsKey, stalePlainFilesKey, sweptKey } from '../../shared/redis/keys.ts'
import { generationKey, markerKey, parseMarkerKey } from '../../shared/storage/keys.ts'
import { voided } from '../../shared/storage/manifest.ts'
import { startJanitor, sweep } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, keysBelow } from '../support/storage/stored-packets.ts'

const { context, releases } = await ownWorker()
await context.redis.del(openJobsKey, sweptKey, stalePlainFilesKey, ...['rescue', 'plainFiles', 'sweep'].map(dutyKey))

const markersOf = async (org: string) =>
  (await keysBelow(context, `${org}/.generations/`)).filter((key) => parseMarkerKey(key) !== null)

test('a marker is written along with the plain files, and also when plain files are off', async () => {
  const org = uniqueName('org')
  await commitPacket(context, `${org}/on`, ['1', '2'])
  await commitPacket(context, `${org}/off`, ['1'])
  await context.views.refresh(`${org}/on`)
  await createPacketViews(context.redis, context, {
    isEnabled: false,
    log: context.log,
    metrics: context.metrics,
  }).refresh(`${org}/off`)
  expect(await markersOf(org)).toEqual([
    markerKey(generationKey(`${org}/off`, 1), 1),
    markerKey(generationKey(`${org}/on`, 1), 2),
  ])
})

test('a sweep writes the markers that are missing', async () => {
  const org = uniqueName('org')
  await commitPacket(context, `${org}/failed`, ['1', '2'])
  const options = { force: true, taken: () => new Error('taken') }
  await context.generations.commit(`${org}/failed`, voided('job'), options)
  await sweep(context, Date.now(), new AbortController().signal)
  expect(await markersOf(org)).toEqual([markerKey(generationKey(`${org}/failed`, 2), 2)])
})

test('a marker missing because a worker died after its commit is written', async () => {
  const org = uniqueName('org')
  await commitPacket(context, `${org}/f`, ['1', '2'])
  await context.redis.zadd(stalePlainFilesKey, Date.now() - 3_600_000, `${org}/f`)
  await context.redis.set(sweptKey, 'lately') // so that the sweep does not do it
  startJanitor(context, releases)
  await expect.poll(() => markersOf(org), { timeout: 30_000 }).toEqual([markerKey(generationKey(`${org}/f`, 1), 2)])
})
