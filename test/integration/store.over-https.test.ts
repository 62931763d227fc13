import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect, inject, onTestFinished, test } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'

const { storage } = readConfig('worker', inject('service').env)
const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures', name), 'utf8')

/** The stack's store behind a TLS proxy that applies `change` to each request body. */
async function storeOverTls(change: (bytes: Buffer) => Buffer = (bytes) => bytes) {
  const cert = fixture('self-signed.cert.pem')
  const server = createServer({ cert, key: fixture('self-signed.key.pem') }, async (asked, response) => {
    const body = change(await buffer(asked))
    const { method, url, headers } = asked
    const passedOn = request(storage.endpoint, { method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(response)
    })
    passedOn.end(body)
  })
  server.listen(0, '127.0.0.1')
  const known = getCACertificates('default')
  setDefaultCACertificates([...known, cert])
  onTestFinished(() => {
    setDefaultCACertificates(known)
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return openMinioStore({ ...storage, endpoint, publicEndpoint: endpoint })
}

test('a store over https puts, creates once, lists, copies and reads objects, and signs links to them', async () => {
  const store = await storeOverTls()
  await store.prepare()
  const key = randomUUID()
  const bytes = Buffer.from('{"statements":[]}')
  const etag = await store.put(key, bytes)
  expect([await store.create(key, bytes), await store.create(`${key}-b`, bytes)]).toEqual(['exists', 'created'])
  expect((await store.list(key).next()).value).toMatchObject({ key, bytes: bytes.length, etag })
  expect([await store.copy(key, `${key}-c`), String(await store.get(`${key}-c`))]).toEqual([true, String(bytes)])
  const response = await fetch(await store.sign(key, 60, 'file'))
  expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['application/json', String(bytes)])
})

test('a body altered in transit over https is not stored', async () => {
  const store = await storeOverTls((bytes) => Buffer.from(String(bytes).replace('whole', 'other')))
  const key = randomUUID()
  await expect(store.put(key, Buffer.from('the whole part'))).rejects.toMatchObject({ code: 'storeAway' })
  expect(await store.create(key, Buffer.from('the whole part'))).toBe('lost')
  expect(await store.get(key)).toBeNull()
  await store.put(key, Buffer.from('the same part'))
  expect(String(await store.get(key))).toBe('the same part')
})
