import { gunzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { startTcpProxy } from '../faults/support/tcp-proxy.ts'
import { ownService } from '../support/own-service.ts'
import { getPacked } from '../support/raw-http.ts'

const { s3 } = inject('stack')
// Lets so many bytes of the store through once it is told to count.
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

/** A packet of one part that reads no database. */
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

test('a large packet is packed for who takes it, and unpacks to the same', async () => {
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

test('a converted one, whose length nobody knows, too', async () => {
  const plain = await getPacked(`${large}?parameterSyntax=dollar`, token, 'identity')
  const packed = await getPacked(`${large}?parameterSyntax=dollar`, token, 'gzip')
  expect([plain.headers['transfer-encoding'], packed.headers['content-encoding']]).toEqual(['chunked', 'gzip'])
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
})

test('a small answer, and what is no JSON, stays as it is', async () => {
  for (const url of [
    small,
    `${service.apiUrl}/1.0/jobs?limit=1`,
    `${service.apiUrl}/metrics`,
    `${service.apiUrl}/docs`,
  ])
    expect([url, (await getPacked(url, token, 'gzip')).headers['content-encoding']]).toEqual([url, undefined])
})

test.each(['gzip', 'identity'])('a stream that breaks off is seen as broken off: %s', async (encoding) => {
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
