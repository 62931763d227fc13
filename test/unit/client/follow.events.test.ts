import { expect, test } from 'vitest'
import { jobsIn } from '../../../client/service/job-events.ts'
import type { Job } from '../../../wire/job.ts'
import { runCli } from '../../support/clients/cli.ts'
import { type FakeAnswer, type FakeRequest, startFakeService } from '../../support/servers/fake-service.ts'

const job = (state: Job['state'], pairs = 0): Job => ({
  id: 'j1',
  kind: 'multi',
  state,
  orgName: 'acme',
  fileName: 'p.json',
  createdAt: '2026-11-22T12:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  attempt: 1,
  report: null,
  error: null,
  expiresAt: null,
  callback: null,
  paused: null,
  waiting: null,
  failures: [],
  progress: { phase: 'reading', subRequests: 4, subRequestsDone: 1, pairs, parts: 2, bytes: 3_100_000 },
})
const event = (name: string, data: object) => `event: ${name}\nid: v\ndata: ${JSON.stringify(data)}\n\n`
const stream = (...texts: string[]): FakeAnswer => ({
  status: 200,
  headers: { 'Content-Type': 'text/event-stream' },
  body: Buffer.from(texts.join('')),
})
const refusal = (status: number) => ({ status, body: { title: 'Refused', status, detail: 'the reason' } })

/** Answers requests for events with these, and requests for the job with those, one after the other. */
async function serviceWith(events: FakeAnswer[], jobs: FakeAnswer[]) {
  const answer = ({ url }: FakeRequest) => (url.endsWith('/events') ? events : jobs).shift() ?? 'hang up'
  const service = await startFakeService(answer)
  return { ...service, asked: () => service.requests.map(({ url }) => url.replace('/1.0/jobs/j1', '')) }
}
const followed = (variables: Record<string, string>, ...more: string[]) =>
  runCli(['job', 'j1', '--follow', '--json', ...more], variables)

test('a job is followed by its events, without asking for it', async () => {
  const events = stream(event('job', job('running', 5)), ': keep-alive\n\n', event('end', job('succeeded', 7)))
  const service = await serviceWith([events], [])
  const { code, stdout, stderr } = await followed(service.variables, '--progress', 'json')
  expect([code, JSON.parse(stdout)]).toEqual([0, job('succeeded', 7)])
  expect(stderr).toContain('"reading: 7 pairs, 2 parts, 3.1 MB"')
  expect(service.asked()).toEqual(['/events'])
  expect(service.requests[0]?.headers).toMatchObject({ accept: 'text/event-stream', authorization: 'Bearer the-token' })
})

test('a job that fails is exit code 7', async () => {
  const failed = { ...job('failed'), error: { status: 422, code: 'unpublishable', message: 'no id' } }
  const service = await serviceWith([stream(event('job', failed), event('end', failed))], [])
  expect(await followed(service.variables)).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the job j1 failed: no id\n',
  })
})

test.each([404, 406, 429, 503])('where events are refused with %i the service is asked for the job', async (status) => {
  const states = [job('running'), job('succeeded')].map((body) => ({ status: 200, body }))
  const service = await serviceWith([refusal(status)], states)
  expect(await followed(service.variables)).toMatchObject({ code: 0 })
  expect(service.asked()).toEqual(['/events', '?wait=2', '?wait=2'])
})

test('after a stream that ended early, or in the middle of an event, another one continues', async () => {
  const events = [
    stream(event('job', job('running')), 'retry: 1000\n\n'),
    stream(event('job', job('running')).slice(0, -20)),
    stream(event('end', job('succeeded'))),
  ]
  const service = await serviceWith(events, Array(2).fill({ status: 200, body: job('running') }))
  expect(await followed(service.variables)).toMatchObject({ code: 0 })
  expect(service.asked()).toEqual(['/events', '?wait=2', '/events', '?wait=2', '/events'])
})

test('where nothing answers the request for events, the service is asked for the job', {
  timeout: 20_000,
}, async () => {
  const service = await startFakeService(({ url }) =>
    url.endsWith('/events') ? new Promise<FakeAnswer>(() => {}) : { status: 200, body: job('succeeded') },
  )
  expect(await followed(service.variables)).toMatchObject({ code: 0 })
  expect(service.requests.length).toBe(2)
})

test('a job whose record is gone is an error, as when the service is asked for it', async () => {
  const service = await serviceWith([stream(event('job', job('running')), event('gone', {}))], [refusal(404)])
  const { code, stderr } = await followed(service.variables)
  expect([code, stderr]).toEqual([7, expect.stringContaining('error: the service answered 404 Refused: the reason')])
})

test('events are read wherever their bytes are cut', async () => {
  const bytes = Buffer.from(event('job', { ...job('running'), fileName: 'größe 😀' }) + event('end', job('succeeded')))
  const single = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const seen: string[][] = []
  for await (const { state, fileName } of jobsIn(single)) seen.push([state, fileName])
  expect(seen).toEqual([
    ['running', 'größe 😀'],
    ['succeeded', 'p.json'],
  ])
})
