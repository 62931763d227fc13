import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { noOrg } from '../../../api/http/access.ts'
import { createBudget } from '../../../api/http/body/budget.ts'
import { type Answer, defineEndpoint } from '../../../api/http/endpoint.ts'
import { handleErrors } from '../../../api/http/error-handler.ts'
import { mountEndpoints } from '../../../api/http/mount.ts'
import { logRequests } from '../../../api/http/request-log.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import type { Logger } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { publishResponse, type StatementSource } from '../../../shared/publish/response.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { documentsOf } from '../../support/documents/manifests.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { only } from '../../support/values/only.ts'

const entries: { path: string; status: number; isWhole: boolean }[] = []
const failures: unknown[] = []
const log = only<Logger>({
  info: (entry: unknown) => void entries.push(entry as (typeof entries)[number]),
  error: (entry: unknown) => void failures.push((entry as { err: unknown }).err),
})
const metrics = createMetrics()
const reads = {
  ...storageOn(openMemoryStore()),
  records: only<JobRecords>({}),
  models: null,
  longReads: createBudget(1, 'long lists'),
}
const context = only<ApiContext>({ log, metrics, ...reads })

/** A response that starts, then waits for `rest` before it ends. */
const source = (rest: () => Promise<void>): Answer => {
  async function* chunks() {
    yield Buffer.from('{"statements":[')
    await rest()
    yield Buffer.from(']}')
  }
  const transactionRequest: StatementSource = { bytes: null, open: async () => chunks() }
  return { kind: 'publish', response: publishResponse({ transactionRequest }) }
}
const never = () => new Promise<never>(() => {})
const soon = (error: Error) => async () => {
  await new Promise((resolve) => setTimeout(resolve, 50))
  throw error
}
const answers: Record<string, () => Promise<Answer>> = {
  whole: async () => source(async () => {}),
  silent: never,
  stuck: async () => source(never),
  broken: async () => source(soon(new Error('a bug'))),
  away: async () => source(soon(errors.storeAway())),
  gone: async () => source(soon(errors.noSuchFile('org', 'file'))),
}
const endpoints = Object.entries(answers).map(([name, handle]) =>
  defineEndpoint({
    method: 'get',
    path: `/1.0/publish/${name}`,
    summary: name,
    scope: null,
    access: noOrg,
    answer: 'publish',
    handle,
  }),
)

let server: Server
let url = ''
beforeAll(async () => {
  const app = express().use(logRequests(context), mountEndpoints(context, endpoints), handleErrors(context))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1.0/publish/`
})
afterAll(() => server.close())

/** The log entry of one request, and the statuses under which it is counted. */
async function told(name: string) {
  const entry = await vi.waitFor(() => entries.find(({ path }) => path.endsWith(name)) ?? expect.unreachable(), 20_000)
  const { values } = await metrics.requests.get()
  const counted = values.filter(
    ({ metricName, labels }) => metricName?.endsWith('_count') && String(labels.route).endsWith(`/${name}`),
  )
  return { status: entry.status, isWhole: entry.isWhole, counted: counted.map(({ labels }) => labels.status) }
}

test('a complete response is recorded with its own status', async () => {
  expect((await fetch(`${url}whole`)).status).toBe(200)
  expect(await told('whole')).toEqual({ status: 200, isWhole: true, counted: [200] })
})

test.each([
  ['silent', 'before'],
  ['stuck', 'in the middle of'],
])('%s: a client that disconnects %s the response is recorded as 499, not as a success', async (name) => {
  const sent = get(url + name).on('error', () => {})
  if (name === 'stuck') await once(sent, 'response')
  else await vi.waitFor(() => expect(sent.reusedSocket || sent.socket?.connecting).toBe(false), 20_000)
  setTimeout(() => sent.destroy(), 100)
  expect(await told(name)).toEqual({ status: 499, isWhole: false, counted: [499] })
  expect(failures).toEqual([])
})

test.each([
  ['broken', 500],
  ['away', 503],
  ['gone', 500],
])('%s: a response that fails is recorded as %i, and its cause is logged', async (name, status) => {
  await expect(fetch(url + name).then((response) => response.text())).rejects.toThrow()
  expect(await told(name)).toEqual({ status, isWhole: false, counted: [status] })
  await vi.waitFor(() => expect(failures.length).toBe(1), 20_000)
  failures.length = 0
})

test('the error alert counts failed responses, not client disconnects', () => {
  const [file] = documentsOf<{ groups: { rules: { alert: string; expr: string }[] }[] }>('deploy/prometheus-rules.yaml')
  const alert = file?.groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === 'PacketsApiErrors')
  const asked = new RegExp(`^(?:${/status=~"([^"]+)"/.exec(alert?.expr ?? '')?.[1]})$`)
  expect(['200', '499', '500', '503'].filter((status) => asked.test(status))).toEqual(['500', '503'])
})
