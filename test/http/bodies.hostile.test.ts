import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'

const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const mebibyte = 1024 * 1024
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

async function send(path: string, body: Buffer | string, headers: Record<string, string> = {}) {
  const response = await fetch(apiUrl + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tokens.all}`, 'Content-Type': 'application/json', ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })
  return { status: response.status, text: await response.text() }
}

test('numbers beyond the range of a number are rejected as ids', async () => {
  const { status, text } = await send('/1.0/publish/', `{"originIds":[1e999999,-1e999999,${'9'.repeat(1_000_000)}]}`)
  expect([status, text.match(/originIds\[\d\]: must be a string/g)?.length]).toEqual([400, 3])
})

test('a body that decompresses beyond its limit is refused, however small it was sent', async () => {
  const bomb = Buffer.alloc(64 * mebibyte, '[')
  for (const [encoding, packed] of [
    ['gzip', gzipSync(bomb)],
    ['deflate', deflateSync(bomb)],
    ['br', brotliCompressSync(bomb)],
  ] as const) {
    const { status, text } = await send('/1.0/publish/', packed, { 'Content-Encoding': encoding })
    expect([encoding, status, text]).toEqual([encoding, 413, expect.stringContaining('the body is larger than 1 MiB')])
  }
})

test('a body with a nested encoding, or not in its declared one, is refused', async () => {
  const packed = gzipSync(gzipSync('{}'))
  expect((await send('/1.0/publish/', packed, { 'Content-Encoding': 'gzip, gzip' })).status).toBe(415)
  expect((await send('/1.0/publish/', '{}', { 'Content-Encoding': 'gzip' })).status).toBe(400)
  expect((await send('/1.0/publish/', gzipSync('{}').subarray(0, 15), { 'Content-Encoding': 'gzip' })).status).toBe(400)
})

test('duplicate keys and bytes that are not UTF-8 are refused as ambiguous', async () => {
  const path = `/1.0/publish/${org}/delete`
  const body = (ids: string) =>
    `{"mappedIndices":{"DEFAULT_INDEX":"P","DEFAULT_ID_FIELD":"id"},"index":"P","returnOnly":true,${ids}}`
  const twice = await send(path, body('"originIds":["one"],"originIds":["two"]'))
  expect([twice.status, twice.text]).toEqual([400, expect.stringContaining('twice in one object')])
  const latin = await send(path, Buffer.from(body('"originIds":["Ren\u00e9"]'), 'latin1'))
  expect([latin.status, latin.text]).toEqual([400, expect.stringContaining('the body must be UTF-8')])
  const inUtf8 = await send(path, body('"originIds":["Ren\u00e9"]'), {
    'Content-Type': 'application/json; charset=utf8',
  })
  expect([inUtf8.status, JSON.parse(inUtf8.text).transactionRequest.statements[0].parameters]).toEqual([
    200,
    { ids: ['Ren\u00e9'] },
  ])
})

test('keys with names of built-in object members are refused, without side effects', async () => {
  for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
    const polluting = `{"${key}":{"returnOnly":true,"metadata":true},"originIds":["1"]}`
    for (const text of [polluting, `{"mappedIndices":${polluting}}`, `{"dynamicLabels":{"P":[${polluting}]}}`]) {
      const { status, text: answer } = await send('/1.0/publish/', text)
      expect([status, answer]).toEqual([400, expect.stringMatching(/must not have a key named (__proto__|con|pro)/)])
    }
  }
  for (const key of ['toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']) {
    const { status, text } = await send('/1.0/publish/', JSON.stringify({ [key]: 1 }))
    expect([status, text]).toEqual([400, expect.stringContaining(`${key}: unknown field`)])
  }
})

test('files accepts up to ten thousand names', async () => {
  const fileNames = Array.from({ length: 10_000 }, (_, index) => `n${index}`)
  const path = `/1.0/publish/${org}/files`
  expect((await client.post(path, { fileNames })).body.fileNames).toEqual([])
  const { status, body } = await client.post(path, { fileNames: [...fileNames, 'one more'] })
  expect([status, body.error]).toEqual([400, '400 Bad Request: fileNames: must have at most 10000 elements'])
})
