import { gunzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { getPacked } from '../support/clients/raw-http.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { ownService } from '../support/programs/own-service.ts'

const { s3 } = inject('stack')
// After `left` is set, passes that many bytes from the store, then cuts the connection.
let left = Number.POSITIVE_INFINITY
const proxy = await startTcpProxy(new URL(s3.endpoint).host, {
  fromServer(chunk) {
    left -= chunk.length
    return left < 0 ? 'cut' : 'pass'
  },
})
afterAll(proxy.close)
const { service, client } = await ownService({ env: { S3_ENDPOINT: `http://${proxy.address}` } })
const token = service.tokens.all as string
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

/** Stores a packet of one part that needs no database. @returns its URL. */
async function stored(fileName: string, count: number, filling = ''): Promise<string> {
  const { status } = await client.post(`/1.0/publish/${org}/delete`, {
    mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
    index: 'Person',
    originIds: Array.from({ length: count }, (_, index) => `${filling}${index}`),
    fileName,
  })
  expect(status).toBe(200)
  return `${service.apiUrl}/1.0/publish/${org}/${fileName}`
}

const small = await stored('small', 10)
const large = await stored('large', 30_000, 'the id of a person whom nobody knows any more ')

test('a large packet is compressed for clients that accept it, and decompresses to the same bytes', async () => {
  const plain = await getPacked(large, token, 'identity')
  const packed = await getPacked(large, token, 'gzip')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(Number(plain.headers['content-length'])).toBe(plain.bytes.length)
  expect(plain.bytes.length).toBeGreaterThan(1_000_000)
  expect([packed.headers['content-encoding'], packed.headers['content-length']]).toEqual(['gzip', undefined])
  expect(packed.headers.vary).toMatch(/accept-encoding/i)
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
})

test('a converted packet of unknown length is compressed as well', async () => {
  const plain = await getPacked(`${large}?parameterSyntax=dollar`, token, 'identity')
  const packed = await getPacked(`${large}?parameterSyntax=dollar`, token, 'gzip')
  expect([plain.headers['transfer-encoding'], packed.headers['content-encoding']]).toEqual(['chunked', 'gzip'])
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
})

test('the OpenAPI document was compressed at the start, and is not compressed in another way', async () => {
  const url = `${service.apiUrl}/openapi.json`
  const [plain, packed, other] = [
    await getPacked(url, token, 'identity'),
    await getPacked(url, token, 'gzip, br'),
    await getPacked(url, token, 'br'),
  ]
  expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip'])
  expect(Number(packed.headers['content-length'])).toBe(packed.bytes.length)
  expect(packed.headers.vary).toMatch(/accept-encoding/i)
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
  expect([other.headers['content-encoding'], other.bytes.equals(plain.bytes)]).toEqual([undefined, true])
})

test('small answers, and answers that are not JSON, are not compressed', async () => {
  for (const url of [
    small,
    `${service.apiUrl}/1.0/jobs?limit=1`,
    `${service.apiUrl}/metrics`,
    `${service.apiUrl}/docs`,
  ])
    expect([url, (await getPacked(url, token, 'gzip')).headers['content-encoding']]).toEqual([url, undefined])
})

test.each(['gzip', 'identity'])('a stream cut off midway is recognizable as such: %s', async (encoding) => {
  left = 400_000
  try {
    const outcome = await getPacked(large, token, encoding).then(
      ({ status, bytes }) => `whole: ${status}, ${bytes.length} bytes`,
      (error: Error) => error.message,
    )
    expect(outcome).toBe('aborted')
  } finally {
    left = Number.POSITIVE_INFINITY
  }
  expect((await getPacked(large, token, encoding)).status).toBe(200)
})
