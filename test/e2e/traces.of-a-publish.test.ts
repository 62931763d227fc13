import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'
import { callbackSettings, newSecret, soon, startReceiver } from '../support/servers/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const closed = '127.0.0.1:1'
const receiver = await startReceiver()
const { service, client } = await ownService({
  workers: 2,
  origins: [closed],
  env: callbackSettings([receiver], newSecret()),
})
const { org, ids, fields } = await prepare(3, service)
const request = (change: object = {}) => ({
  ...{ ...fields, originIds: ids, orgName: org, fileName: uniqueName('file') },
  ...change,
})

const newTrace = () => {
  const [traceId, parentSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  return { traceId, parentSpanId, traceparent: `00-${traceId}-${parentSpanId}-01` }
}

type Line = Record<string, unknown>
const linesWith = (text: string): Line[] =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes(text) && line.endsWith('}'))
    .map((line) => JSON.parse(line))

/** Sends a publish, and returns the log lines that name its job, once its `Job finished` is logged. */
async function linesOfPublish(path: string, body: unknown, headers: Record<string, string>) {
  const { headers: answered } = await client.post(path, body, headers)
  const location = answered.get('Location') as string
  const id = location.split('/').at(-1) as string
  await expect.poll(() => linesWith(id).map(({ msg }) => msg), soon).toContain('job finished')
  await expect.poll(() => linesWith(`"jobLocation":"${location}"`).length, soon).toBe(1)
  return { id, lines: linesWith(id) }
}

test('the lines of a request and of its job, with all its slices, carry the ids of its trace', async () => {
  const { traceparent, ...trace } = newTrace()
  const fileName = uniqueName('multi')
  const multi = Array.from({ length: 41 }, () => request({ fileName }))
  const { lines } = await linesOfPublish('/1.0/publish/multi', multi, { traceparent })
  const started = lines.filter(({ msg }) => msg === 'job started').map(({ slice }) => slice ?? null)
  expect([...new Set(started)].sort()).toEqual([0, 1, 2, null])
  expect([...new Set(lines.map(({ msg }) => msg))].sort()).toEqual([
    ...['audit', 'job finished', 'job started', 'request', 'slice built'],
  ])
  for (const line of lines) expect(line).toMatchObject(trace)
})

test('the lines of every attempt of a retried job carry the ids of its trace', async () => {
  const { traceparent, ...trace } = newTrace()
  const away = request({ dbUrl: `bolt://${closed}` })
  const { lines } = await linesOfPublish('/1.0/publish/', away, { traceparent })
  const failed = lines.filter(({ msg }) => msg === 'run failed').map(({ attempt }) => attempt)
  // Their lines are in the logs of two workers.
  expect(failed.sort()).toEqual([1, 2, 3])
  for (const line of lines) expect(line).toMatchObject(trace)
})

test('a callback carries the traceparent of the publish, and its line the ids', async () => {
  const { traceparent, ...trace } = newTrace()
  const calling = request({ callbackUrl: `https://${receiver.address}/` })
  const { id } = await linesOfPublish('/1.0/publish/', calling, { traceparent })
  const sent = () => receiver.received.find(({ headers }) => `${headers['webhook-id']}`.startsWith(id))
  await expect.poll(() => sent()?.headers.traceparent, soon).toBe(traceparent)
  await expect.poll(() => linesWith(id).map(({ msg }) => msg), soon).toContain('callback delivered')
  expect(linesWith(id).find(({ msg }) => msg === 'callback delivered')).toMatchObject(trace)
  const { id: another } = await linesOfPublish('/1.0/publish/', { ...calling, fileName: uniqueName('file') }, {})
  const silent = () => receiver.received.find(({ headers }) => `${headers['webhook-id']}`.startsWith(another))
  await expect.poll(silent, soon).toBeDefined()
  expect(silent()?.headers).not.toHaveProperty('traceparent')
})

test('a publish that is sent again under another trace gets the same job', async () => {
  const body = request()
  const key = { 'Idempotency-Key': uniqueName('key') }
  const { traceparent: first, traceId } = newTrace()
  const { traceparent: second } = newTrace()
  const { id } = await linesOfPublish('/1.0/publish/', body, { ...key, traceparent: first })
  const again = await client.post('/1.0/publish/', body, { ...key, traceparent: second })
  expect([again.status, again.headers.get('Location')]).toEqual([200, `/1.0/jobs/${id}`])
  expect(linesWith(id).find(({ msg }) => msg === 'job finished')).toMatchObject({ traceId })
})

test('the line of an error carries the ids of the trace, and an invalid traceparent is ignored', async () => {
  const { traceparent, ...trace } = newTrace()
  const lineOf = async (header: string) => {
    const requestId = uniqueName('request')
    await client.call('GET', '/1.0/nothing', undefined, { traceparent: header, 'X-Request-Id': requestId })
    await expect.poll(() => linesWith(requestId).length, soon).toBe(1)
    return linesWith(requestId)[0]
  }
  expect(await lineOf(traceparent)).toMatchObject({ status: 404, ...trace })
  for (const invalid of [traceparent.toUpperCase(), `${traceparent}-more`, traceparent.slice(0, -1), 'injected"}{"']) {
    const line = await lineOf(invalid)
    expect([invalid, line?.status, line?.traceId, line?.parentSpanId]).toEqual([invalid, 404, undefined, undefined])
  }
})
