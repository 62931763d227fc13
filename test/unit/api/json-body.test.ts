import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonBody } from '../../../api/http/body/json-body.ts'
import { handleErrors } from '../../../api/http/error-handler.ts'
import { bytesText } from '../../../packet/bytes-text.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'

const limitBytes = 1_000
let server: Server
let url = ''

beforeAll(async () => {
  const app = express()
  app.post('/echo', ...jsonBody(limitBytes), (request, response) => void response.json({ read: request.body }))
  app.use(handleErrors({ log: createLog('test', 'silent'), metrics: createMetrics() }))
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/echo`
})

afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function post(body: string | Buffer, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) })
  return { status: response.status, answer: (await response.json()) as { detail?: string } }
}

/** The status and the message of a rejection. */
async function refusal(...request: Parameters<typeof post>): Promise<string> {
  const { status, answer } = await post(...request)
  return `${status} ${answer.detail}`
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('a body is read', () => {
  test.each(['{"a":[1,null,"é"]}', '[]', 'null', '"text"', '7'])('a body is read as JSON: %s', async (body) => {
    expect(await post(body)).toEqual({ status: 200, answer: { read: JSON.parse(body) } })
  })

  test('a body is read with a character set in its content type', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' }
    expect(await post('{"a":1}', headers)).toEqual({ status: 200, answer: { read: { a: 1 } } })
  })

  test.each(['utf8', 'UTF8', '"utf-8"'])(
    'a body is read in UTF-8, also with the charset spelled %s',
    async (charset) => {
      const headers = { 'Content-Type': `application/json; charset=${charset}` }
      expect(await post('"é"', headers)).toEqual({ status: 200, answer: { read: 'é' } })
    },
  )

  test('a body is read with a leading byte order mark', async () => {
    expect(await post('\ufeff"é"')).toEqual({ status: 200, answer: { read: 'é' } })
  })

  test('a body is read with the same key in several objects', async () => {
    const body = '{"a":{"a":[{"a":1,"A":2},{"a":"a","\\"a":3}]},"b":{"a":":"}}'
    expect(await post(body)).toEqual({ status: 200, answer: { read: JSON.parse(body) } })
  })

  test('a body is read up to its size limit', async () => {
    const text = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))
    expect((await post(text(limitBytes))).status).toBe(200)
    expect(await refusal(text(limitBytes + 1))).toBe(`413 the body is larger than ${bytesText(limitBytes)}`)
  })

  test('a body is read up to 32 levels of lists', async () => {
    expect((await post(nested(32))).status).toBe(200)
    expect(await refusal(nested(33))).toBe('400 the body must be at most 32 levels deep')
  })

  test('a body is read up to 32 levels of objects, at any position', async () => {
    expect((await post(nestedObjects(32))).status).toBe(200)
    expect(await refusal(nestedObjects(33))).toBe('400 the body must be at most 32 levels deep')
    expect(await refusal(`[1,{"a":[${nested(30)},2]}]`)).toBe('400 the body must be at most 32 levels deep')
  })
})

describe('a body is rejected', () => {
  test.each(['__proto__', 'constructor', 'prototype'])(
    'a body is rejected for a key named %s, at any depth',
    async (key) => {
      const message = `400 the body must not have a key named ${key}`
      expect(await refusal(`{"${key}":{}}`)).toBe(message)
      expect(await refusal(`[{"mappedIndices":{"a":1,"${key}":"id"}}]`)).toBe(message)
      expect(await refusal(`{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":1}`)).toBe(message)
      expect((await post(`["${key}"]`)).status).toBe(200)
    },
  )

  test.each([
    ['a', '{"a":1,"b":2,"a":1}'],
    ['a', '[0,{"x":[{"a":{"b":1},"a":2}]}]'],
    ['a', '{"b":1,"a":1,"\\u0061":2}'],
    ['é', '{"é":1,"\\u00e9":2}'],
    ['', '{"":1,"":2}'],
    ['0', '{"0":1,"0":2}'],
    ['a"b', '{"a\\"b":1,"x":"}{","a\\u0022b":2}'],
  ])('a body is rejected for the duplicate key %j in one object: %s', async (key, body) => {
    expect(await refusal(body)).toBe(`400 the body must not have the key ${JSON.stringify(key)} twice in one object`)
  })

  test('a body is rejected for a long duplicate key, which the message truncates', async () => {
    const key = 'k'.repeat(400)
    expect(await refusal(`{"${key}":1,"${key}":2}`)).toBe(
      `400 the body must not have the key "${'k'.repeat(200)}…" twice in one object`,
    )
  })

  test.each([
    ['Latin-1', Buffer.from('{"originIds":["Ren\u00e9"]}', 'latin1')],
    ['Latin-1 in a key', Buffer.from('{"Ren\u00e9":1}', 'latin1')],
    ['a surrogate of its own', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a character of too many bytes', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a character that is cut', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ])('a body is rejected when it is not UTF-8 but %s', async (_what, body) => {
    expect(await refusal(body)).toBe('400 the body must be UTF-8')
  })

  test.each(['{', '{"a":1,}', "{'a':1}", 'NaN', '{"a":1}x'])(
    'a body is rejected when it is not JSON: %s',
    async (body) => {
      expect(await refusal(body)).toBe('400 the body is not valid JSON')
    },
  )

  test.each([
    ['another content type', { 'Content-Type': 'text/plain' }],
    ['the content type of a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a problem', { 'Content-Type': 'application/problem+json' }],
    ['no content type', {}],
    ['a character set that is not Unicode', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a character set that is like UTF-8', { 'Content-Type': 'application/json; charset=utf-80' }],
    ['a character set that is not that of JSON', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['an unknown encoding', { 'Content-Type': 'application/json', 'Content-Encoding': 'odd' }],
  ])('a body is rejected with %s', async (_what, headers) => {
    expect(await refusal('{"a":1}', headers)).toBe('415 the body must be sent as Content-Type: application/json')
  })
})
