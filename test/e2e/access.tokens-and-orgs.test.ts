import { request } from 'node:http'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'

const { apiUrl, tokens } = inject('service')
const all = createClient(apiUrl, tokens.all as string)
const acme = createClient(apiUrl, tokens.acme as string)
const reader = createClient(apiUrl, tokens.reader as string)

test.each([
  ['no token', createClient(apiUrl, null)],
  ['a wrong token', createClient(apiUrl, 'wrong')],
  ['an empty token', createClient(apiUrl, '')],
])('%s is 401, in the error format of the endpoint', async (_name, client) => {
  const publish = await client.get('/1.0/publish/status')
  expect([publish.status, publish.headers.get('WWW-Authenticate'), publish.body.error]).toEqual([
    401,
    'Bearer',
    '401 Unauthorized: a valid token is required: Authorization: Bearer <token>',
  ])
  const job = await client.get<Record<string, unknown>>('/1.0/jobs/some-job')
  expect([job.headers.get('Content-Type'), job.body]).toEqual([
    'application/problem+json; charset=utf-8',
    {
      type: 'urn:problem:unauthenticated',
      title: 'Unauthorized',
      status: 401,
      detail: 'a valid token is required: Authorization: Bearer <token>',
    },
  ])
})

test('a bare token is accepted as well', async () => {
  const response = await fetch(`${apiUrl}/1.0/publish/status`, { headers: { Authorization: tokens.all as string } })
  expect([response.status, await response.text()]).toEqual([200, ''])
})

test('a token without the scope is 403', async () => {
  const { status, body } = await reader.post(`/1.0/publish/${uniqueName('org')}`)
  expect([status, body.error]).toEqual([403, '403 Forbidden: the token lacks the scope publish:write'])
})

test('files and jobs of another org are answered as nonexistent; sub-directories belong to their org', async () => {
  const org = uniqueName('other')
  await all.post(`/1.0/publish/${org}`)
  await acme.post('/1.0/publish/acme%2Fteam')
  expect((await acme.get('/1.0/publish/acme%2Fteam')).status).toBe(200)
  const answers = await Promise.all([
    acme.get(`/1.0/publish/${org}`),
    acme.get(`/1.0/publish/${org}/file`),
    acme.get(`/1.0/publish/${org}/file/url`),
    acme.post(`/1.0/publish/${org}/files`, {}),
    acme.post(`/1.0/publish/${org}`),
    acme.get('/1.0/publish/acmeother'),
    acme.get('/1.0/jobs/no-such-job'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404])
})

test('an unknown path outside publish is answered with a problem', async () => {
  const { status, headers, body } = await all.get<object>('/1.0/nothing')
  expect([status, headers.get('Content-Type'), body]).toEqual([
    404,
    'application/problem+json; charset=utf-8',
    { type: 'urn:problem:noSuchPath', title: 'Not Found', status: 404, detail: 'there is nothing at this path' },
  ])
})

test('HEAD and OPTIONS are answered', async () => {
  const options = await fetch(`${apiUrl}/1.0/publish/status`, { method: 'OPTIONS' })
  expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  const head = await fetch(`${apiUrl}/1.0/publish/status`, {
    method: 'HEAD',
    headers: { Authorization: `Bearer ${tokens.all}` },
  })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('the path is decoded exactly once', async () => {
  const { status, body } = await all.get(`/1.0/publish/${uniqueName('org')}/a%252Fb`)
  expect([status, body.error]).toEqual([
    400,
    '400 Bad Request: fileName: must not contain control characters, backslashes or %',
  ])
  const raw = await new Promise<number | undefined>((resolve) => {
    const headers = { Authorization: `Bearer ${tokens.all}` }
    request(`${apiUrl}/1.0/publish/org/%E0%A4%A`, { headers }, ({ statusCode }) => resolve(statusCode)).end()
  })
  expect(raw).toBe(400)
})

test('health and metrics need no token; a request id is echoed or generated', async () => {
  const paths = ['/livez', '/readyz', '/metrics']
  const answers = await Promise.all(paths.map((path) => fetch(apiUrl + path)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await (answers[2] as Response).text()).toContain('packets_http_request_seconds_bucket')
  const echoed = await fetch(`${apiUrl}/livez`, { headers: { 'X-Request-Id': 'my-request-1' } })
  expect(echoed.headers.get('X-Request-Id')).toBe('my-request-1')
  const made = await fetch(`${apiUrl}/livez`, { headers: { 'X-Request-Id': 'bad id' } })
  expect(made.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
})
