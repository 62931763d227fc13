import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { prepare } from '../support/clients/e2e.ts'
import { sendRaw } from '../support/clients/raw-http.ts'

const { apiUrl, tokens } = inject('service')
const { client, org, ids, fields } = await prepare(2)
await client.post('/1.0/publish/', { ...fields, originIds: ids, orgName: org, fileName: 'packet' })

const isAlive = async () => (await fetch(`${apiUrl}/livez`)).status
const securityOf = (headers: Headers) =>
  ['X-Content-Type-Options', 'Content-Security-Policy', 'Referrer-Policy', 'Cache-Control', 'X-Powered-By', 'ETag'].map(
    (name) => headers.get(name),
  )

test.each<[number, string, string, unknown?]>([
  [200, 'GET', '/1.0/publish/status'],
  [200, 'GET', `/1.0/publish/${org}/packet`],
  [200, 'GET', `/1.0/publish/${org}/packet/url`],
  [200, 'GET', '/1.0/manager/status'],
  [200, 'GET', '/1.0/jobs'],
  [204, 'OPTIONS', '/1.0/jobs'],
  [400, 'GET', '/1.0/jobs?nonsense=1'],
  [400, 'GET', '/1.0/publish/%ff'],
  [400, 'POST', '/1.0/publish/', '{'],
  [404, 'GET', '/1.0/nothing'],
  [404, 'GET', `/1.0/publish/${org}/none`],
  [405, 'PATCH', '/1.0/jobs'],
])('%i to %s %s has safe headers and is not cached', async (expected, method, path, body) => {
  const { status, headers } = await client.call(method, path, body)
  const policy = "default-src 'none'; frame-ancestors 'none'"
  expect([status, securityOf(headers)]).toEqual([expected, ['nosniff', policy, 'no-referrer', 'no-store', null, null]])
  expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{8,64}$/)
})

test('401 and 403 are not cached either', async () => {
  const nobody = await createClient(apiUrl, null).get('/1.0/jobs')
  const unfit = await createClient(apiUrl, tokens['model-reader'] as string).get('/1.0/jobs')
  expect([nobody, unfit].map(({ headers }) => headers.get('Cache-Control'))).toEqual(['no-store', 'no-store'])
})

test.each([
  ['of letters, digits, - and _', 'My_request-01', true],
  ['of eight', '12345678', true],
  ['of 64', 'a'.repeat(64), true],
  ['of seven', '1234567', false],
  ['of 65', 'a'.repeat(65), false],
  ['with a space', 'two words', false],
  ['with a semicolon', 'my-request;x', false],
  ['with markup', '<script>alert</script>', false],
  ['beyond ASCII', 'reqüest-id-ÿ', false],
])('a request id %s is echoed if valid, else replaced', async (_what, id, isEchoed) => {
  const { headers } = await client.call('GET', '/1.0/publish/status', undefined, { 'X-Request-Id': id })
  if (isEchoed) expect(headers.get('X-Request-Id')).toBe(id)
  else expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

test.each([
  ['a line feed', 'my-request\nInjected: yes'],
  ['a carriage return', 'my-request\rInjected: yes'],
  ['a folded line', 'my-request\r\n Injected: yes'],
  ['a null', 'my-request\0Injected'],
  ['an encoded line break', 'my-request%0d%0aInjected:%20yes'],
])('a request id with %s adds no header', async (_what, id) => {
  const answer = await sendRaw(
    apiUrl,
    `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 (400|200) /)
  expect(answer).not.toMatch(/injected/i)
  expect(await isAlive()).toBe(200)
})

test.each([
  ['a path of 10,000 characters', `GET /1.0/publish/${'a'.repeat(10_000)} HTTP/1.1\r\nHost: x\r\n`, /^HTTP\/1.1 401 /],
  ['a path of a million', `GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\nHost: x\r\n`, /^(HTTP\/1.1 431 |$)/],
  ['a header of a million', `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_000_000)}\r\n`, /^(HTTP\/1.1 431 |$)/],
  ['five thousand headers', `GET /livez HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(5_000)}`, /^(HTTP\/1.1 431 |$)/],
  [
    'a token of 12,000',
    `GET /1.0/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${'a'.repeat(12_000)}\r\n`,
    /^HTTP\/1.1 401 /,
  ],
  ['no host', 'GET /livez HTTP/1.1\r\n', /^HTTP\/1.1 400 /],
  [
    'two lengths',
    'POST /1.0/publish/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n',
    /^HTTP\/1.1 400 /,
  ],
  [
    'a length and chunks',
    'POST /1.0/publish/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n',
    /^HTTP\/1.1 400 /,
  ],
])('%s is refused without harm to others', async (_what, head, expected) => {
  expect(await sendRaw(apiUrl, `${head}Connection: close\r\n\r\n`)).toMatch(expected)
  expect(await isAlive()).toBe(200)
})

test('connections are kept alive for more than a minute, as the answer states', async () => {
  const answer = sendRaw(
    apiUrl,
    'GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  const [, seconds] = /keep-alive: timeout=(\d+)/i.exec(await answer) ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

test('the docs page only runs scripts of this server', async () => {
  const page = await fetch(`${apiUrl}/docs`)
  const html = await page.text()
  expect(page.headers.get('Content-Security-Policy')).toBe(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  )
  const sources = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source as string)
  expect(sources.length).toBe(4)
  for (const source of sources) {
    const asset = await fetch(apiUrl + source)
    expect([source, asset.status, (await asset.arrayBuffer()).byteLength > 50]).toEqual([source, 200, true])
    expect(asset.headers.get('X-Content-Type-Options')).toBe('nosniff')
  }
  expect(html).not.toMatch(/https?:/)
  // The page's own policy would block inline scripts.
  expect(html).not.toMatch(/<script>|onload=/)
})
