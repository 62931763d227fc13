import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'
import { type CollectedSpan, startCollector } from '../support/servers/collector.ts'
import { callbackSettings, newSecret, startReceiver } from '../support/servers/receiver.ts'

const collector = await startCollector()
const receiver = await startReceiver()
const { service, client } = await ownService({
  workers: 1,
  env: {
    ...callbackSettings([receiver], newSecret()),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../../deploy/otel.mjs')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  },
})
const { fields, org } = await prepare(50, service)
const traceId = 'a'.repeat(32)
const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`

async function publish(fileName: string, requests: object[]): Promise<string> {
  const all = requests.map((request) => ({ ...fields, orgName: org, fileName, ...request }))
  const headers = { traceparent, Prefer: 'respond-async' }
  const answer = await client.post(`/1.0/publish/multi`, all, headers)
  const location = answer.headers.get('Location') as string
  await client.followJob(location)
  return location.split('/').at(-1) as string
}

/** The spans of a job, when a span of this name has arrived so many times. */
async function spansOf(jobId: string, last: string, count: number): Promise<CollectedSpan[]> {
  const named = () => collector.spans.filter(({ attributes }) => attributes['messaging.message.id'] === jobId)
  await expect.poll(() => named().filter(({ name }) => name === last).length, { timeout: 30_000 }).toBe(count)
  const traces = new Set(named().map((span) => span.traceId))
  return collector.spans.filter((span) => traces.has(span.traceId))
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name)

test('a publish is one trace: accepted, run, read, stored, committed and called back', async () => {
  const jobId = await publish('one.json', [{ originIds: ['p1', 'p2'], callbackUrl: `https://${receiver.address}/` }])
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(1)
  await expect.poll(() => named(collector.spans, 'POST callback').length, { timeout: 30_000 }).toBe(1)
  const spans = await spansOf(jobId, 'process publish', 1)
  const [send, run, read, put, commit, callback] = [
    ...['send publish', 'process publish', 'read origin', 'PUT part', 'commit packet', 'POST callback'],
  ].map((name) => named(spans, name)[0] as CollectedSpan)
  expect(spans.map((span) => span.traceId)).toEqual(spans.map(() => traceId))
  expect(send?.parentSpanId).toBe('b'.repeat(16))
  expect([run?.parentSpanId, callback?.parentSpanId]).toEqual([send?.spanId, send?.spanId])
  expect([read?.parentSpanId, commit?.parentSpanId]).toEqual([run?.spanId, run?.spanId])
  expect(put?.parentSpanId).toBe(read?.spanId)
  expect(send?.attributes).toMatchObject({ 'messaging.system': 'bullmq', 'messaging.operation.type': 'send' })
  expect(run?.attributes).toMatchObject({ 'messaging.operation.type': 'process', 'packets.attempt': 1 })
  expect(callback?.attributes).toEqual({
    'http.request.method': 'POST',
    'http.request.resend_count': 0,
    'http.response.status_code': 204,
  })
  const header = receiver.received[0]?.headers.traceparent
  expect(header).toBe(`00-${traceId}-${callback?.spanId}-01`)
})

test('the slices of a large multi are traces of their own, linked to that of the publish', async () => {
  const requests = Array.from({ length: 45 }, (_, at) => ({ originIds: [`p${at + 1}`] }))
  const jobId = await publish('large.json', requests)
  await spansOf(jobId, 'process slice', 3)
  const spans = await spansOf(jobId, 'process publish', 2)
  const slices = named(spans, 'process slice')
  const send = named(spans, 'send publish').find(({ attributes }) => attributes['messaging.message.id'] === jobId)
  expect(new Set(slices.map((span) => span.traceId)).size).toBe(3)
  for (const slice of slices) {
    expect(slice.traceId).not.toBe(traceId)
    expect(slice.links).toMatchObject([{ traceId, spanId: send?.spanId }])
  }
  const own = spans.filter((span) => span.traceId === traceId && span.parentSpanId === send?.spanId)
  expect(own.map(({ name }) => name)).toEqual(['process publish', 'process publish'])
  expect(spans.every(({ status }) => (status.code ?? 0) !== 2)).toBe(true)
})

test('a failed run has the code of its error, and no span holds a secret, an address, an id or a message', async () => {
  const jobId = await publish('failed.json', [
    { originIds: ['canary-id'], mappedIndices: { DEFAULT_INDEX: 'Canary', DEFAULT_ID_FIELD: 'id' } },
  ])
  const [run] = named(await spansOf(jobId, 'process publish', 1), 'process publish').slice(-1)
  expect([run?.status.code, run?.attributes['error.type']]).toEqual([2, 'nothingThere'])
  const all = collector.bodies.join()
  const { boltUrl, password } = inject('stack').neo4j
  const secrets = [
    fields.credentials,
    password,
    new URL(boltUrl).host,
    receiver.address,
    service.tokens.all,
    'canary',
    'Canary',
    'p44',
  ]
  expect(secrets.filter((secret) => all.includes(secret as string))).toEqual([])
})
