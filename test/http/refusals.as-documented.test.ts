import { request } from 'node:http'
import { expect, inject, test } from 'vitest'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { createClient } from '../../dev/client.ts'
import { documented } from '../support/clients/documented.ts'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'

const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const call = documented(client)
const names = { orgName: 'no-such-org', fileName: 'no-such-file', id: 'no-such-job' }

const closed = everyEndpoint.filter(([, { scope }]) => scope !== null)
const withBody = everyEndpoint.filter(([, { body }]) => body !== undefined)
const posted = withBody.filter(([, { method }]) => method !== 'get')
const withParams = everyEndpoint.filter(([, { path }]) => path.includes(':'))

test.each(closed)('%s refuses a missing token or scope', async (_name, endpoint) => {
  const { method, path } = requestTo(endpoint, names)
  const nobody = await documented(createClient(apiUrl, null))(method, path)
  if (endpoint.scope === 'any') return expect(nobody.status).toBe(401)
  const other = endpoint.scope?.startsWith('publish') ? tokens['model-reader'] : tokens.reader
  const unfit = await documented(createClient(apiUrl, other as string))(method, path)
  expect([nobody.status, unfit.status]).toEqual([401, 403])
  expect(unfit.headers.get('WWW-Authenticate')).toBe(`Bearer error="insufficient_scope", scope="${endpoint.scope}"`)
})

test.each(everyEndpoint)('%s: unknown and empty parameters are reported together', async (_name, endpoint) => {
  const { method, path, body } = requestTo(endpoint, names)
  const sent = method === 'GET' ? undefined : body
  const { status, text } = await call(method, `${path}?nonsense=1&empty=`, sent)
  expect([status, text]).toEqual([400, expect.stringMatching(/nonsense: unknown/)])
  expect(text).toContain('empty: must not be empty')
})

test.each(posted)('%s refuses bodies that are not JSON, or not declared as JSON', async (_name, endpoint) => {
  const { method, path, body } = requestTo(endpoint, names)
  const statusOf = async (sent: unknown, type: string) =>
    (await call(method, path, sent, { 'Content-Type': type })).status
  expect([
    await statusOf(JSON.stringify(body), 'text/plain'),
    await statusOf(JSON.stringify(body), 'application/json; charset=latin1'),
    await statusOf('{', 'application/json'),
    await statusOf('{}{}', 'application/json'),
    await statusOf('\u0000', 'application/json'),
  ]).toEqual([415, 415, 400, 400, 400])
  const compressed = await call(method, path, body, { 'Content-Encoding': 'compress' })
  expect(compressed.status).toBe(415)
})

test.each(posted)('%s refuses JSON that is not a valid request', async (_name, endpoint) => {
  const { method, path } = requestTo(endpoint, names)
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  for (const body of ['null', '1', 'true', '"text"', '[]', '[[]]', deep, '{"__proto__": {}}', '{"nonsense": 1}'])
    expect([body, (await call(method, path, body)).status]).toEqual([body, 400])
})

test.each(withBody)('%s: a body over its limit is refused before it is read', async (_name, endpoint) => {
  const { method, path } = requestTo(endpoint, names)
  const limit = endpoint.body?.limitBytes as number
  expect(await statusOfSize(method, path, limit + 1)).toBe(413)
})

/** Only announces a body, so that an answer proves that the server did not wait for it. */
function statusOfSize(method: string, path: string, bytes: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { Authorization: `Bearer ${tokens.all}`, 'Content-Type': 'application/json', 'Content-Length': bytes }
  const sent = request(apiUrl + path, { method, headers }, ({ statusCode }) => {
    resolve(statusCode)
    sent.destroy()
  })
  sent.on('error', reject)
  sent.flushHeaders()
  return promise
}

/** The paths of a request with each of its parameters replaced in turn, as sent over the wire. */
const eachParameter = (endpoint: Endpoint, value: string) =>
  [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) =>
    requestTo(endpoint, { ...names, [name as string]: 'REPLACED' }).path.replace('REPLACED', value),
  )

test.each(withParams)('%s refuses parameters that are not percent-encoded', async (_name, endpoint) => {
  const { method, body } = requestTo(endpoint, names)
  const sent = method === 'GET' ? undefined : body
  for (const broken of ['%', '%E0%A4%A', 'a%zz', '%ff'])
    for (const path of eachParameter(endpoint, broken))
      expect([path, (await call(method, path, sent)).status]).toEqual([path, 400])
})

test.each(withParams)('%s: odd parameters are answered without a server error', async (_name, endpoint) => {
  const { method, body } = requestTo(endpoint, names)
  const sent = method === 'GET' ? undefined : body
  for (const odd of [
    '%00',
    '%0d%0aInjected:%20yes',
    '%F0%9F%A6%89',
    '%ED%A0%80',
    '%2F',
    '..%2F..',
    'x'.repeat(5_000),
    `${'a%2F'.repeat(1_000)}a`,
  ])
    for (const path of eachParameter(endpoint, odd)) {
      const { status, headers } = await call(method, path, sent)
      expect([path.slice(0, 80), [200, 400, 404].includes(status)]).toEqual([path.slice(0, 80), true])
      expect(headers.get('Injected')).toBeNull()
    }
})
