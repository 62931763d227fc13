import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openMinioStore } from '../../../shared/store/minio-store.ts'

/** A server with the given handler as the store, and a client with a timeout of one second. */
async function storeThat(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { endpoint, publicEndpoint: endpoint, region: 'us-east-1', bucket: 'bucket' }
  return openMinioStore({ ...settings, accessKey: 'key', secretKey: 'secret', timeoutSeconds: 1 })
}

const object = { ETag: '"e"', 'Last-Modified': new Date(0).toUTCString() }

test('a store that never answers is reported unavailable in time, after one retry', async () => {
  let asked = 0
  const store = await storeThat(() => asked++)
  const outcomes = Promise.allSettled([
    store.put('key', Buffer.from('bytes')),
    store.get('key'),
    store.stream('key'),
    store.list('prefix').next(),
    store.remove('key'),
    store.ping(),
  ])
  const started = performance.now()
  const reasons = (await outcomes).map((outcome) => outcome.status === 'rejected' && outcome.reason.code)
  expect(reasons).toEqual(Array(6).fill('storeAway'))
  expect(performance.now() - started).toBeLessThan(10_000)
  expect(asked).toBe(2 * reasons.length)
})

test('a conditional create without an answer is lost, and is not retried', async () => {
  let asked = 0
  const store = await storeThat(() => asked++)
  expect([await store.create('key', Buffer.from('bytes')), asked]).toEqual(['lost', 1])
})

test('an object that stalls midway is requested again', async () => {
  let asked = 0
  const store = await storeThat((_request, response) => {
    response.writeHead(200, { ...object, 'Content-Length': 10 })
    if (asked++ === 0) response.write('01234')
    else response.end('0123456789')
  })
  expect([String(await store.get('key')), asked]).toEqual(['0123456789', 2])
})

test('a slow reader of an object does not make the store time out', async () => {
  const bytes = Buffer.alloc(8 * 1024 * 1024, 'x')
  const store = await storeThat((_request, response) => {
    response.writeHead(200, { ...object, 'Content-Length': bytes.length }).end(bytes)
  })
  let read = 0
  for await (const chunk of (await store.stream('key')) as Readable) {
    // Longer than the store timeout.
    if (read === 0) await delay(2_500)
    read += chunk.length
  }
  expect(read).toBe(bytes.length)
})

test('an object that stalls once a slow reader has paused breaks off', async () => {
  const store = await storeThat((_request, response) => {
    response.writeHead(200, { ...object, 'Content-Length': 30_000 }).write(Buffer.alloc(10_000))
    setTimeout(() => response.write(Buffer.alloc(10_000)), 100)
  })
  let read = 0
  const reading = async () => {
    for await (const chunk of (await store.stream('key')) as Readable) {
      if (read === 0) await delay(2_500)
      read += chunk.length
    }
  }
  const outcome = Promise.race([reading(), delay(10_000, 'still waiting')])
  await expect(outcome).rejects.toThrow()
  expect(read).toBe(20_000)
})
