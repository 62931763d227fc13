import { afterAll, expect, inject, onTestFinished, test, vi } from 'vitest'
import { runCli } from '../../support/clients/cli.ts'
import { openEvents, type ReceivedEvents } from '../../support/clients/events.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { ownJobs } from '../../support/jobs/own-jobs.ts'
import { measuredAt } from '../../support/programs/metrics.ts'
import { databaseOfFile, ownService } from '../../support/programs/own-service.ts'

const redisDatabase = await databaseOfFile()
const { url } = inject('stack').redis
const redis = await startTcpProxy(new URL(url).host)
afterAll(redis.close)
const { service } = await ownService({
  redisDatabase,
  env: { REDIS_URL: `redis://${redis.address}/${redisDatabase}` },
})
const jobs = ownJobs(`${url.replace(/\/\d*$/, '')}/${redisDatabase}`)

const open = (id: string, apiUrl = service.apiUrl) => openEvents(`${apiUrl}/1.0/jobs/${id}/events`, service.tokens.all)
const namesOf = ({ events }: ReceivedEvents) => events.map(({ event }) => event)
const pairsOf = ({ events }: ReceivedEvents) =>
  events.map(({ data }) => (data as { progress: { pairs: number } }).progress.pairs)
const eventually = (what: () => unknown) => expect.poll(what, { timeout: 20_000 })
const openStreams = async (apiUrl = service.apiUrl) => (await measuredAt(apiUrl)).sum('packets_event_streams')

test('streams outlive an outage of Redis: nothing is sent during it, and the changes are sent after it', async () => {
  const [changed, finished] = [await jobs.create(), await jobs.create()]
  await jobs.records.start(changed)
  await jobs.advance(changed, 1)
  const streams = [await open(changed), await open(finished)]
  await eventually(() => streams.map(namesOf)).toEqual([['job'], ['job']])
  redis.refuse(true)
  await vi.waitFor(async () => expect((await fetch(`${service.apiUrl}/readyz`)).status).toBe(503), { timeout: 20_000 })
  await jobs.advance(changed, 2)
  await jobs.records.finish(finished, 'succeeded', {})
  const refused = await open(changed)
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5'])
  expect(streams.map(namesOf)).toEqual([['job'], ['job']])
  redis.refuse(false)
  expect(await streams[1]?.closed).toBe(true)
  await eventually(() => streams.map(namesOf)).toEqual([
    ['job', 'job'],
    ['job', 'end'],
  ])
  expect(pairsOf(streams[0] as ReceivedEvents)).toEqual([1, 2])
  // The subscription is back, too: the end is sent.
  await jobs.records.finish(changed, 'failed', {})
  expect(await streams[0]?.closed).toBe(true)
  expect(namesOf(streams[0] as ReceivedEvents)).toEqual(['job', 'job', 'end'])
})

test('a client that does not read is disconnected, and others are not', async () => {
  const [id, small] = [await jobs.create(), await jobs.create()]
  await jobs.inflate(id, 2 ** 22)
  await jobs.records.start(id)
  const [slow, other] = [await open(id), await open(small)]
  slow.pause()
  await eventually(() => openStreams()).toBe(2)
  let pairs = 0
  // The system takes some megabytes before anything waits in the process.
  await eventually(async () => {
    await jobs.advance(id, ++pairs)
    return openStreams()
  }).toBe(1)
  await jobs.records.finish(small, 'succeeded', {})
  expect(await other.closed).toBe(true)
  expect(namesOf(other)).toEqual(['job', 'end'])
  slow.hangUp()
})

test('an API that is killed cuts its streams, and the client follows the job at another one', async () => {
  const { apiUrl, api } = await service.startApi()
  const front = await startTcpProxy(new URL(apiUrl).host)
  onTestFinished(front.close)
  const id = await jobs.create()
  const cut = await open(id, apiUrl)
  const variables = { PACKETS_URL: `http://${front.address}`, PACKETS_TOKEN: service.tokens.all as string }
  const followed = runCli(['job', id, '--follow', '--json', '--progress', 'none'], variables)
  await eventually(() => openStreams(apiUrl)).toBe(2)
  front.switchTo(new URL(service.apiUrl).host)
  api.kill('SIGKILL')
  expect(await cut.closed).toBe(false)
  await eventually(() => openStreams()).toBe(1)
  await jobs.records.finish(id, 'succeeded', {})
  const { code, stdout, stderr } = await followed
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, expect.objectContaining({ id, state: 'succeeded' }), ''])
})

test('an API that stops tells its streams to connect again, and exits within its grace', async () => {
  const id = await jobs.create()
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(id)))
  await eventually(() => streams.every(({ events }) => events.length === 1)).toBe(true)
  const toldAt = performance.now()
  service.api.kill('SIGTERM')
  expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(Array(20).fill(true))
  expect(streams.map((stream) => [namesOf(stream).join(), stream.text().endsWith('\n\nretry: 1000\n\n')])).toEqual(
    Array(20).fill(['job', true]),
  )
  expect(await service.api.exited).toEqual({ code: 0, signal: null })
  expect(performance.now() - toldAt).toBeLessThan(20_000)
})
