import type { Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import type { AllowRule } from '../../../shared/config/lists.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createKeptOrigins } from '../../../shared/origin/kept-origins.ts'
import type { Lookup } from '../../../shared/origin/lookup.ts'
import { type FakeBolt, fakeBolt, type Reply } from '../../support/origins/fake-bolt.ts'
import { readRows } from '../../support/origins/read-rows.ts'

const end: Reply = { success: { has_more: false } }
const credentialsOf = (text: string) => `Basic ${btoa(text)}`

/** A server, and a function that opens it as a publish would, by a name. */
async function start(answer: () => Reply[] = () => [{ record: [1] }, end]) {
  const sockets: Socket[] = []
  const server = await fakeBolt(answer, {}, { afterReplies: (socket) => void sockets.push(socket) })
  let count = 0
  const kept = createKeptOrigins({
    set(now) {
      count = now
    },
  })
  afterAll(() => kept.close())
  const addresses = ['127.0.0.1']
  const allow: AllowRule[] = [{ kind: 'network', address: '127.0.0.0', prefix: 8, family: 'ipv4', port: server.port }]
  const lookup: Lookup = async () => [...addresses]
  const open = (target: object = {}, signal?: AbortSignal) =>
    openOrigin(
      { dbUrl: `bolt://origin.invalid:${server.port}`, credentials: credentialsOf('user:password'), ...target },
      { allow, port: server.port, silenceSeconds: 60, stallSeconds: 60, dnsServers: null, kept },
      60,
      lookup,
      signal,
    )
  /** Reads and gives the origin back. @returns whether its connections had been kept. */
  async function use(target: object = {}): Promise<boolean> {
    const origin = await open(target)
    const before = count
    expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
    await origin.release()
    await expect.poll(() => count).toBe(before + 1)
    return origin.isReused
  }
  return { server, sockets, open, use, addresses, allow, count: () => count }
}

const [hello, begin] = [0x01, 0x11]
const received = ({ messages }: FakeBolt, signature: number) =>
  messages.filter((message) => message[1] === signature).map(String)

test('a user logs in once for several publishes, each with its own transaction, database and bookmarks', async () => {
  const { server, use } = await start()
  expect(await use({ database: 'movies' })).toBe(false)
  expect(await use({ database: 'movies', bookmarks: ['FB:one'] })).toBe(true)
  expect([server.connections(), received(server, hello).length]).toEqual([1, 1])
  const transactions = received(server, begin)
  const named = ['movies', 'FB:one'].map((text) => transactions.map((one) => one.includes(text)))
  expect(named).toEqual([
    [true, true],
    [false, true],
  ])
})

test('a publish without a database uses no connections on which another named one', async () => {
  const { use } = await start()
  const reused = [await use({ database: 'first' }), await use(), await use({ database: 'first' }), await use()]
  expect(reused).toEqual([false, false, true, true])
  expect(await use({ database: 'second' })).toBe(false)
})

test('two publishes at the same time have connections of their own', async () => {
  const { server, open, count } = await start()
  const both = await Promise.all([open(), open()])
  await Promise.all(both.map((origin) => origin.release()))
  await expect.poll(count).toBe(2)
  const again = await Promise.all([open(), open()])
  expect(again.map(({ isReused }) => isReused)).toEqual([true, true])
  expect(server.connections()).toBe(2)
  await Promise.all(again.map((origin) => origin.close()))
})

test.each([
  ['another password', { credentials: credentialsOf('user:other') }],
  ['another user', { credentials: credentialsOf('other:password') }],
  ['a password that continues the user name', { credentials: credentialsOf('user:password:') }],
])('%s logs in again', async (_, target) => {
  const { server, use } = await start()
  expect([await use(), await use(target), await use(), await use(target)]).toEqual([false, false, true, true])
  expect(received(server, hello)).toHaveLength(2)
})

test('encrypted and plain connections are distinguished', async () => {
  const { server, open, use } = await start()
  await use()
  const dbUrl = `bolt+s://origin.invalid:${server.port}`
  await expect(open({ dbUrl }, AbortSignal.timeout(500))).rejects.toThrow() // the server does not speak TLS
  expect(await use()).toBe(true)
})

test('the policy is asked before kept connections are used', async () => {
  const { open, use, addresses, allow } = await start()
  await use()
  addresses[0] = '127.0.0.2'
  await expect(open()).rejects.toMatchObject({ code: 'originUnreachable' }) // nothing listens there
  addresses[0] = '10.0.0.1'
  await expect(open()).rejects.toMatchObject({ code: 'dbUrlRefused' })
  addresses[0] = '127.0.0.1'
  const rules = allow.splice(0)
  await expect(open()).rejects.toMatchObject({ code: 'dbUrlRefused' })
  allow.push(...rules)
  expect(await use()).toBe(true)
})

test('connections that the server has closed meanwhile are replaced without an error', async () => {
  const { server, sockets, use } = await start()
  await use()
  for (const socket of sockets) socket.destroy()
  await use()
  expect(server.connections()).toBe(2)
})

test('connections that have become silent are replaced after five seconds', { timeout: 30_000 }, async () => {
  const { server, sockets, use } = await start()
  await use()
  for (const socket of sockets) socket.removeAllListeners('data').resume()
  const began = performance.now()
  expect(await use()).toBe(false)
  expect(performance.now() - began).toBeGreaterThan(4_900)
  expect(server.connections()).toBe(2)
})

test('connections on which the server sends data that nobody waits for are given up', async () => {
  const { server, sockets, use } = await start()
  await use()
  const [socket] = sockets
  // The beginning of a record.
  socket?.write(Buffer.concat([Buffer.from([0xff, 0xff, 0xb1, 0x71]), Buffer.alloc(1024 * 1024, 1)]))
  await expect.poll(() => socket?.destroyed).toBe(true)
  await use()
  expect(server.connections()).toBe(2)
})

/** Uses two connections, on one of which the server then sends these bytes, and gives the origin back. */
async function releaseAfter(bytes: Buffer) {
  const started = await start()
  const { open, sockets } = started
  const origin = await open()
  expect(await origin.ask('RETURN 1')).toEqual([[1n]]) // outside the transaction, so on a connection of its own
  const [socket] = sockets
  await new Promise((sent) => socket?.write(bytes, sent))
  expect(await readRows(origin, 'RETURN 1')).toEqual([[1n]])
  await origin.release()
  return started
}

test.each([
  ['much of a record', Buffer.concat([Buffer.from([0xff, 0xff, 0xb1, 0x71]), Buffer.alloc(65_000, 1)])],
  ['one byte of a message', Buffer.from([0, 5, 0xb1])],
  ['the length of a message', Buffer.from([0, 5])],
])('connections are not kept if the server has sent %s before', async (_, bytes) => {
  const { server, sockets, use, count } = await releaseAfter(bytes)
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true])
  expect(count()).toBe(0)
  expect([await use(), server.connections()]).toEqual([false, 3])
})

test.each([1, 2, 3])('%i bytes of empty messages, which keep connections alive, change nothing', async (length) => {
  const { server, use, count } = await releaseAfter(Buffer.alloc(length))
  await expect.poll(count).toBe(1)
  expect([await use(), server.connections()]).toEqual([true, 2])
})

test('a refusal of the server on kept connections is reported as a refused query', async () => {
  let isRefused = false
  const { server, open, use, count } = await start(() =>
    isRefused ? [{ failure: 'Neo.ClientError.Statement.SyntaxError' }] : [{ record: [1] }, end],
  )
  await use()
  isRefused = true
  const origin = await open()
  const refused = { status: 502, code: 'originRefusedQuery', retryable: false }
  await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(refused)
  await origin.close()
  // Nothing was tried again on new connections, and the connections of a failed publish are not kept.
  expect([origin.isReused, server.connections(), server.queries, count()]).toEqual([
    ...[true, 1, ['RETURN 1', 'RETURN 1'], 0],
  ])
})

test('an origin that was closed is not kept, and an aborted opening uses none', async () => {
  const { server, open, count } = await start()
  const origin = await open()
  await origin.close()
  expect((await open()).isReused).toBe(false)
  await expect(open({}, AbortSignal.abort(new Error('aborted')))).rejects.toThrow('aborted')
  expect([count(), server.connections()]).toEqual([0, 2])
})
