import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { overrides } from '../../dev/service.ts'
import { listenOn } from '../support/origins/hostile-origins.ts'
import { ownService } from '../support/programs/own-service.ts'

const open = new Set<Socket>()
const silent = await listenOn('127.0.0.1', (socket) => {
  open.add(socket.on('close', () => open.delete(socket)))
  socket.resume()
})

const tokens = ['ann', 'bob', 'cid'].map((name) => ({ name, orgs: ['*'], scopes: ['publish:read', 'publish:write'] }))
const mebibyte = 1024 * 1024
const { service } = await ownService({
  tokens,
  origins: [`127.0.0.1:${silent.port}`],
  env: overrides({ bodyBytes: 8 * mebibyte, returnOnlyAtOnce: 4 }),
})
const { hostname, port } = new URL(service.apiUrl)

interface Client {
  /** The status and headers of the answer, once there is one; else ''. */
  answer(): string
  hangUp(): void
  write(text: string): void
}

/** Sends a request verbatim. */
async function send(name: string, path: string, headers: string, body: string | Buffer): Promise<Client> {
  const socket = connect(Number(port), hostname).on('error', () => {})
  await once(socket, 'connect')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  const own = `Host: x\r\nAuthorization: Bearer ${service.tokens[name]}\r\nContent-Type: application/json\r\n`
  socket.write(`POST ${path} HTTP/1.1\r\n${own}${headers}\r\n\r\n`)
  socket.write(body)
  return { answer: () => answer, hangUp: () => socket.destroy(), write: (text) => void socket.write(text) }
}

/** A body of which so many bytes arrive, then some each second, but never the last. It is refused after 40 seconds. */
async function unfinished(name: string, bytes: number): Promise<Client> {
  const client = await send(name, '/1.0/publish/multi', `Content-Length: ${32 * mebibyte}`, '['.padEnd(bytes))
  const trickle = setInterval(() => client.write(' '.repeat(48 * 1024)), 1_000)
  return {
    ...client,
    hangUp() {
      clearInterval(trickle)
      client.hangUp()
    },
  }
}

const statusOf = ({ answer }: Client) => Number(answer().split(' ')[1] ?? 0)
const answered = async (client: Client) => {
  await expect.poll(() => statusOf(client), { timeout: 20_000 }).toBeGreaterThan(0)
  return client.answer()
}

/** Probes whether a body of this size is refused, as the number of held bytes is not observable. */
const isRefused = async (name: string, bytes: number) => {
  const client = await unfinished(name, bytes)
  // By then the server has processed the request.
  for (let round = 0; round < 20; round++) await fetch(`${service.apiUrl}/livez`)
  client.hangUp()
  return [429, 503].includes(statusOf(client))
}

/** An unfinished body that leaves no room for a second one of this client. */
async function holdBody(name: string): Promise<Client> {
  const send = () => unfinished(name, 2.25 * mebibyte)
  let client = await send()
  const isHeld = async () => {
    // Bodies of earlier probes may still have been counted when this one arrived.
    if (statusOf(client) !== 0) client = await send()
    return (await isRefused(name, 2 * mebibyte)) && statusOf(client) === 0
  }
  await expect.poll(isHeld, { timeout: 20_000 }).toBe(true)
  return client
}

test('unfinished bodies beyond the limits are refused, and room is freed when clients disconnect', async () => {
  const held = [await holdBody('ann')]
  const over = await answered(await unfinished('ann', 2 * mebibyte))
  expect(over).toMatch(/^HTTP\/1\.1 429 .*Retry-After: 5/s)
  expect(over).toContain('429 Too Many Requests: this token has too many bytes of request bodies under way')
  held.push(await holdBody('bob'))
  const full = await answered(await unfinished('cid', 3.75 * mebibyte))
  expect(full).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5/s)
  expect(full).toContain('503 Service Unavailable: this process has too many bytes of request bodies under way')
  expect(held.map(statusOf)).toEqual([0, 0])
  for (const client of held) client.hangUp()
  await expect.poll(() => isRefused('cid', 3.75 * mebibyte), { timeout: 20_000 }).toBe(false)
})

test('a compressed body counts with its decompressed size', async () => {
  const packed = gzipSync(Buffer.alloc(5 * mebibyte, ' '))
  const headers = `Content-Encoding: gzip\r\nContent-Length: ${packed.length + 1}`
  // A body that does not come to its end is refused after ten seconds, which a busy machine may need by itself.
  let isCounted = false
  for (let tries = 0; tries < 5 && !isCounted; tries++) {
    const client = await send('ann', '/1.0/publish/multi', headers, packed)
    const counted = expect.poll(() => isRefused('bob', 4 * mebibyte), { timeout: 8_000 }).toBe(true)
    isCounted = await counted.then(
      () => true,
      () => false,
    )
    client.hangUp()
  }
  expect(isCounted).toBe(true)
  await expect.poll(() => isRefused('bob', 4 * mebibyte), { timeout: 20_000 }).toBe(false)
})

const body = JSON.stringify({
  dbUrl: `bolt://127.0.0.1:${silent.port}`,
  credentials: `Basic ${btoa('user:password')}`,
  mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  originIds: ['1'],
  metadata: true,
  returnOnly: true,
})
const returned = (name: string) => send(name, '/1.0/publish/', `Content-Length: ${body.length}`, body)

test('concurrent returnOnly packets are limited, and end with their clients', { timeout: 120_000 }, async () => {
  const held: Client[] = []
  for (const name of ['ann', 'ann', 'bob', 'bob']) {
    held.push(await returned(name))
    await expect.poll(() => open.size, { timeout: 20_000 }).toBe(held.length)
  }
  expect(await answered(await returned('ann'))).toMatch(/^HTTP\/1\.1 429 .*Retry-After: 5.*returnOnly packets/s)
  expect(await answered(await returned('cid'))).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5.*returnOnly packets/s)
  expect(held.map(statusOf)).toEqual([0, 0, 0, 0])
  const began = performance.now()
  for (const client of held) client.hangUp()
  await expect.poll(() => open.size, { timeout: 20_000 }).toBe(0)
  expect(performance.now() - began).toBeLessThan(15_000)
  const next = await returned('cid')
  await expect.poll(() => open.size, { timeout: 20_000 }).toBe(1)
  next.hangUp()
  await expect.poll(() => open.size, { timeout: 20_000 }).toBe(0)
})
