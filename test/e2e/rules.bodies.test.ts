import { gzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import type { PublishAnswer } from '../../dev/client.ts'
import { bytesText } from '../../packet/bytes-text.ts'
import { expectRefused, startFromValid } from '../support/clients/refusals.ts'

const { client, org, request } = await startFromValid()
const { apiUrl } = inject('service')
const mebibyte = 1024 * 1024
const wrongType = 'the body must be sent as Content-Type: application/json'

/** Every endpoint that takes a body, its size limit, and a body that breaks one rule with the expected message. */
const endpoints: [path: string, limitBytes: number, body: object, message: string][] = [
  ['/1.0/publish/', mebibyte, { ...request, metadata: 1 }, 'metadata: must be a boolean'],
  ['/1.0/publish', mebibyte, { ...request, metadata: 1 }, 'metadata: must be a boolean'],
  ['/1.0/publish/multi', 32 * mebibyte, [{ ...request, metadata: 1 }], '[0].metadata: must be a boolean'],
  [`/1.0/publish/${org}/files`, mebibyte, { usePrefixes: 1 }, 'usePrefixes: must be a boolean'],
  [
    `/1.0/publish/${org}/delete`,
    32 * mebibyte,
    { ...request, index: 'Person', metadata: 1 },
    'metadata: must be a boolean',
  ],
  [
    `/1.0/publish/${org}/createrelationships`,
    32 * mebibyte,
    {
      startIndex: 'A',
      startIdField: 'id',
      endIndex: 'B',
      endIdField: 'id',
      type: 'T',
      fileName: 'f',
      idPairs: [],
    },
    'idPairs: must have at least one pair',
  ],
]

describe.each(endpoints)('POST %s', (path, limitBytes, body, message) => {
  const post = (text: string, headers: Record<string, string> = {}) => client.post(path, text, headers)
  const text = JSON.stringify(body)

  test('the endpoint takes JSON in UTF-8 only', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/problem+json',
    ]) {
      expectRefused(await post(text, { 'Content-Type': type }), 415, wrongType)
    }
    expectRefused(await post(text, { 'Content-Type': 'application/json; charset=latin1' }), 415, wrongType)
    expectRefused(await post(text, { 'Content-Encoding': 'rot13' }), 415, wrongType)
    expectRefused(await client.call('POST', path), 415, wrongType)
    expectRefused(await post(text, { 'Content-Type': 'application/json; charset=UTF-8' }), 400, message)
  })

  test('the endpoint refuses invalid JSON', async () => {
    for (const broken of ['{', '{"a": 1,}', "{'a': 1}", '[1', 'undefined', text.slice(0, -1), `${text}}`]) {
      expectRefused(await post(broken), 400, 'the body is not valid JSON')
    }
    expectRefused(await post(text, { 'Content-Encoding': 'gzip' }), 400, 'the body is not valid JSON')
  })

  test(`the endpoint takes ${limitBytes} bytes and not one more`, async () => {
    expectRefused(await post(text.padEnd(limitBytes)), 400, message)
    expectRefused(await post(text.padEnd(limitBytes + 1)), 413, `the body is larger than ${bytesText(limitBytes)}`)
  })

  test('the endpoint takes 32 levels and not one more', async () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    expectRefused(await post(nested(33)), 400, 'the body must be at most 32 levels deep')
    expectRefused(await post(`{"a": ${nested(32)}}`), 400, 'the body must be at most 32 levels deep')
    const { status, body } = await post(nested(32))
    expect([status, body.error?.includes('levels deep')]).toEqual([400, false])
  })

  test.each(['__proto__', 'constructor', 'prototype'])(
    'the body must not have a key named %s, at any depth',
    async (key) => {
      const refused = `the body must not have a key named ${key}`
      expectRefused(await post(`{"${key}": {}}`), 400, refused)
      expectRefused(await post(`[{"mappedIndices": {"a": [{"${key}": "id"}]}}]`), 400, refused)
    },
  )
})

test('a compressed body counts with its decompressed size', async () => {
  const headers = { Authorization: `Bearer ${inject('service').tokens.all}`, 'Content-Type': 'application/json' }
  const send = async (text: string) => {
    const body = gzipSync(text)
    const answer = await fetch(`${apiUrl}/1.0/publish/`, {
      method: 'POST',
      headers: { ...headers, 'Content-Encoding': 'gzip' },
      body,
    })
    return { status: answer.status, headers: answer.headers, text: '', body: (await answer.json()) as PublishAnswer }
  }
  expectRefused(await send(JSON.stringify({ ...request, metadata: 1 })), 400, 'metadata: must be a boolean')
  expectRefused(await send('['.padEnd(mebibyte + 1)), 413, 'the body is larger than 1 MiB')
})

test('of very many invalid values in a list, a hundred are reported, and the number of the others', async () => {
  const originIds = Array(150_000).fill(1)
  const { status, body } = await client.post('/1.0/publish/', { ...request, originIds })
  const told = body.error?.split('; ') ?? []
  expect([status, told.length, told.at(-2), told.at(-1)]).toEqual([
    400,
    101,
    'originIds[99]: must be a string',
    'originIds: has too many invalid elements: the 149900 after [99] were not checked',
  ])
})

describe('methods', () => {
  test.each([
    ['PUT', 'status', 'GET, HEAD, OPTIONS'],
    ['GET', '', 'POST, OPTIONS'],
    ['DELETE', '', 'POST, OPTIONS'],
    ['GET', 'multi', 'POST, OPTIONS'],
    ['PATCH', 'multi', 'POST, OPTIONS'],
    ['PUT', org, 'POST, GET, HEAD, OPTIONS'],
    ['POST', `${org}/file/url`, 'GET, HEAD, OPTIONS'],
  ])('%s %s is refused, and lists the methods that the path takes', async (method, path, allow) => {
    const answer = await client.call(method, `/1.0/publish/${path}`)
    expectRefused(answer, 405, `this path supports ${allow}`)
    expect(answer.headers.get('Allow')).toBe(allow)
  })

  test('an unknown path below publish is answered in the format of publish', async () => {
    expectRefused(await client.get(`/1.0/publish/${org}/a/b/c`), 404, 'there is nothing at this path')
    expectRefused(await client.post(`/1.0/publish/${org}/a/url/b`, {}), 404, 'there is nothing at this path')
  })
})

test.each([
  ['wait=56', 'wait must be 0 to 55 seconds'],
  ['wait=-1', 'wait must be 0 to 55 seconds'],
  ['wait=1.5', 'wait must be 0 to 55 seconds'],
  ['wait=soon', 'wait must be 0 to 55 seconds'],
  ['wait=', 'wait must be 0 to 55 seconds'],
  ['respond-async, wait=60', 'wait must be 0 to 55 seconds'],
])('Prefer: %s is refused, together with the errors of the body', async (prefer, message) => {
  const answer = await client.post('/1.0/publish/', { ...request, metadata: 1 }, { Prefer: prefer })
  expectRefused(answer, 400, `metadata: must be a boolean; Prefer: ${message}`)
})

test.each([
  ['my-request', true],
  ['a_Z-4567', true],
  ['x'.repeat(64), true],
  ['short-7', false],
  ['x'.repeat(65), false],
  ['with space', false],
  ['with.dots', false],
])('a refusal has a request id too: %s is accepted is %s', async (given, isTaken) => {
  for (const path of ['/1.0/publish/', '/1.0/nothing']) {
    const { headers } = await client.post(path, '{', { 'X-Request-Id': given })
    const id = headers.get('X-Request-Id')
    if (isTaken) expect(id).toBe(given)
    else expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  }
})
