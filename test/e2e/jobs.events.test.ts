import { expect, test } from 'vitest'
import { overrides } from '../../dev/service.ts'
import { documented } from '../support/clients/documented.ts'
import { openEvents, type ReceivedEvents } from '../support/clients/events.ts'
import { ownJobs } from '../support/jobs/own-jobs.ts'
import { measuredAt } from '../support/programs/metrics.ts'
import { ownService } from '../support/programs/own-service.ts'

const scopes = ['publish:read', 'publish:write']
const tokens = ['ann', 'bob', 'cid'].map((name) => ({ name, orgs: ['acme'], scopes }))
const { service, client, as } = await ownService({
  tokens: [...tokens, { name: 'stranger', orgs: ['elsewhere'], scopes }, { name: 'no scope', orgs: ['*'], scopes: [] }],
})
const jobs = ownJobs(service.redisUrl)
const { records } = jobs

const pathOf = (id: string) => `/1.0/jobs/${id}/events`
const open = (id: string, headers: Record<string, string> = {}, apiUrl = service.apiUrl, token = 'all') =>
  openEvents(apiUrl + pathOf(id), service.tokens[token], headers)
const namesOf = ({ events }: ReceivedEvents) => events.map(({ event }) => event)
const dataOf = ({ events }: ReceivedEvents) => events.map(({ data }) => data)
const seen = (stream: ReceivedEvents, count: number) =>
  expect.poll(() => stream.events.length, { timeout: 20_000 }).toBe(count)
const jobAt = async (id: string) => (await client.get<object>(`/1.0/jobs/${id}`)).body
const openStreams = async (apiUrl = service.apiUrl) => (await measuredAt(apiUrl)).sum('packets_event_streams')

test('a stream begins with the whole job, sends each change, and ends with the finished job', async () => {
  const id = await jobs.create()
  const stream = await open(id, { 'Accept-Encoding': 'gzip' })
  await seen(stream, 1)
  const told = [await jobAt(id)]
  await records.start(id)
  await seen(stream, 2)
  told.push(await jobAt(id))
  await jobs.advance(id, 7)
  await seen(stream, 3)
  told.push(await jobAt(id))
  await records.finish(id, 'failed', { error: { status: 502, code: 'originUnreachable', message: 'away' } })
  expect(await stream.closed).toBe(true)
  told.push(await jobAt(id))
  expect(dataOf(stream)).toEqual(told)
  expect(namesOf(stream)).toEqual(['job', 'job', 'job', 'end'])
  expect(new Set(stream.events.map(({ id: version }) => version)).size).toBe(4)
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
  })
  expect(stream.headers['content-encoding']).toBeUndefined()
})

test.each(['succeeded', 'failed', 'cancelled'] as const)(
  'a stream of a job that has %s is one event and the end',
  async (state) => {
    const id = await jobs.create()
    await records.finish(id, state, {})
    const stream = await open(id)
    expect(await stream.closed).toBe(true)
    const job = await jobAt(id)
    expect(job).toMatchObject({ state })
    expect(stream.events).toEqual(
      ['job', 'end'].map((event) => ({ event, id: stream.events[0]?.id, data: job, at: expect.any(Number) })),
    )
  },
)

test('changes are sent about twice a second, however many there are, and the end is sent at once', async () => {
  const id = await jobs.create()
  await records.start(id)
  const openedAt = performance.now()
  const stream = await open(id)
  let changes = 0
  while (stream.events.length < 3) await jobs.advance(id, ++changes)
  await records.finish(id, 'succeeded', {})
  await stream.closed
  const most = 1 + (performance.now() - openedAt) / 400
  expect(stream.events.length - 1).toBeLessThanOrEqual(most)
  expect(changes).toBeGreaterThan(stream.events.length)
  expect(namesOf(stream).at(-1)).toBe('end')
})

test('Last-Event-ID changes nothing: the first event is the whole job', async () => {
  const id = await jobs.create()
  const first = await open(id)
  await seen(first, 1)
  first.hangUp()
  const again = await open(id, { 'Last-Event-ID': first.events[0]?.id as string })
  await seen(again, 1)
  expect(again.text()).toBe(first.text())
  again.hangUp()
  await expect.poll(() => openStreams()).toBe(0)
})

test('HEAD has the headers of GET, no body, and opens no stream', async () => {
  const id = await jobs.create()
  const head = await fetch(service.apiUrl + pathOf(id), {
    method: 'HEAD',
    headers: { Authorization: `Bearer ${service.tokens.all}` },
  })
  expect([head.status, head.headers.get('Content-Type'), await head.text()]).toEqual([200, 'text/event-stream', ''])
  expect(await openStreams()).toBe(0)
})

test('a job whose record is gone ends the stream with what GET would answer', async () => {
  const id = await jobs.create()
  const stream = await open(id)
  await seen(stream, 1)
  await jobs.remove(id)
  expect(await stream.closed).toBe(true)
  expect(namesOf(stream)).toEqual(['job', 'gone'])
  const { body, status } = await client.get<object>(`/1.0/jobs/${id}`)
  expect([dataOf(stream)[1], status]).toEqual([body, 404])
})

test('unknown jobs, jobs of other orgs, and bad requests are answered as by GET of the job', async () => {
  const id = await jobs.create()
  const refused = async (name: string, path: string) => {
    const { status, text } = await documented(as(name))('GET', path)
    return [status, text]
  }
  expect(await refused('stranger', pathOf(id))).toEqual(await refused('stranger', '/1.0/jobs/no-such-job'))
  expect(await refused('ann', pathOf('no-such-job'))).toEqual(await refused('ann', '/1.0/jobs/no-such-job'))
  expect((await refused('no scope', pathOf(id)))[0]).toBe(403)
  expect((await refused('ann', `${pathOf(id)}?wait=5`))[0]).toBe(400)
  expect(await openStreams()).toBe(0)
})

test('event streams over a token’s half are 429, over all of them 503; a closed stream makes room', async () => {
  const { apiUrl } = await service.startApi(overrides({ eventStreams: 4 }))
  const id = await jobs.create()
  const openAs = (token: string) => open(id, {}, apiUrl, token)
  const held = [await openAs('ann'), await openAs('ann'), await openAs('bob'), await openAs('bob')]
  const refused = [await openAs('ann'), await openAs('cid')]
  await Promise.all(refused.map(({ closed }) => closed))
  expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, '5'],
    [503, '5'],
  ])
  expect(refused.map(({ text }) => JSON.parse(text()).detail)).toEqual([
    'this token has too many event streams under way; try again when one is done',
    'this process has too many event streams under way; try again later',
  ])
  expect(await openStreams(apiUrl)).toBe(4)
  held[0]?.hangUp()
  await expect.poll(() => openStreams(apiUrl)).toBe(3)
  const admitted = await openAs('cid')
  expect(admitted.status).toBe(200)
  for (const stream of [...held, admitted]) stream.hangUp()
  await expect.poll(() => openStreams(apiUrl)).toBe(0)
})
