import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { sendRaw } from '../support/clients/raw-http.ts'

const { apiUrl, tokens } = inject('service')
const auth = `Authorization: Bearer ${tokens.all}\r\n`
const host = 'Host: x\r\nConnection: close\r\n'
const long = `X-Long: ${'y'.repeat(20_000)}\r\n`

/** Requests that the HTTP parser rejects: what is wrong, the request for a path, the status and message. */
const unreadable: [what: string, request: (path: string) => string, status: number, message: string][] = [
  ['a header too large', (path) => `GET ${path} HTTP/1.1\r\n${host}${long}\r\n`, 431, 'larger than 16 KiB'],
  [
    'a query too large',
    (path) => `GET ${path}?${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
    431,
    'larger than 16 KiB',
  ],
  [
    'headers too many',
    (path) => `GET ${path} HTTP/1.1\r\n${host}${'a:b\r\n'.repeat(9_000)}\r\n`,
    431,
    'larger than 16 KiB',
  ],
  ['no host', (path) => `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'not valid HTTP'],
  ['a header without a name', (path) => `GET ${path} HTTP/1.1\r\n${host}: y\r\n\r\n`, 400, 'not valid HTTP'],
  ['a path that is not ASCII', (path) => `GET ${path}/é HTTP/1.1\r\n${host}\r\n`, 400, 'not valid HTTP'],
  [
    'two lengths',
    (path) => `POST ${path} HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    400,
    'not valid HTTP',
  ],
  [
    'a body whose chunks are none',
    (path) =>
      `POST ${path} HTTP/1.1\r\n${host}${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'not valid HTTP',
  ],
  ['an expectation', (path) => `GET ${path} HTTP/1.1\r\n${host}Expect: miracles\r\n\r\n`, 417, 'Expect: 100-continue'],
]

function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const type = /^content-type: ([^;\r\n]+)/im.exec(head)?.[1]
  return { status: Number(head.split(' ')[1]), head, type, body: JSON.parse(body || 'null') }
}

test.each(unreadable)('%s: below publish the answer has its format', async (_what, request, status, message) => {
  for (const path of ['/1.0/publish', '/1.0/publish/', '/1.0/publish/acme/file']) {
    const told = read(await sendRaw(apiUrl, request(path)))
    expect([told.status, told.type]).toEqual([status, 'application/json'])
    expect(Object.keys(told.body)).toEqual([
      ...['transactionRequest', 'transactionRequests', 'fileLocation', 'fileLocations', 'fileNames', 'error'],
      'usePrefixes',
    ])
    expect(told.body.error).toMatch(new RegExp(`^${status} [A-Z][A-Za-z ]+: .*${message}`))
    expect(told.head).toMatch(/^x-request-id: [0-9a-f-]{36}$/im)
    expect(told.head).toMatch(/^cache-control: no-store$/im)
  }
})

test.each(unreadable)('%s: elsewhere the answer is a problem', async (_what, request, status, message) => {
  for (const path of ['/1.0/jobs', '/1.0/search/a/directIndexPolicy/b/defaultFull']) {
    const told = read(await sendRaw(apiUrl, request(path)))
    expect([told.status, told.type]).toEqual([status, 'application/problem+json'])
    expect(told.body).toMatchObject({ status, detail: expect.stringContaining(message) })
  }
})

test('a head that arrives in pieces is answered in the format of its path as well', async () => {
  const { hostname, port } = new URL(apiUrl)
  const socket = connect(Number(port), hostname).on('error', () => {})
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  for (const piece of [
    'GET /1.0/publish/acme HTTP/1.1\r\n',
    host,
    ...Array(4).fill(`X-Long: ${'y'.repeat(5_000)}\r\n`),
  ]) {
    socket.write(piece)
    await delay(50)
  }
  socket.write('\r\n')
  await expect.poll(() => answer, { timeout: 60_000 }).toContain('usePrefixes')
  expect(read(answer).status).toBe(431)
  socket.destroy()
})

test('data that is not HTTP is answered with a problem', async () => {
  for (const text of ['\x16\x03\x01\x02\x00\x01\x00', 'hello\r\n\r\n', 'GET\r\n\r\n']) {
    const told = read(await sendRaw(apiUrl, text))
    expect([told.status, told.type]).toEqual([400, 'application/problem+json'])
  }
})

test('an oversized head that is not read completely is still answered', async () => {
  for (let round = 0; round < 10; round++) {
    const told = read(await sendRaw(apiUrl, `GET /1.0/publish/a HTTP/1.1\r\n${host}${long.repeat(3)}\r\n`))
    expect([told.status, JSON.stringify(told.body)]).toEqual([431, expect.stringContaining('larger than 16 KiB')])
  }
})
