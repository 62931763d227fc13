import { describe, expect, test } from 'vitest'
import { type FakeBolt, fakeBolt, type Reply } from '../../support/origins/fake-bolt.ts'
import { listenOn } from '../../support/origins/hostile-origins.ts'
import { openLocal } from '../../support/origins/open-local.ts'
import { readRows, valuesOf } from '../../support/origins/read-rows.ts'

const end: Reply = { success: { has_more: false } }

test('the rows of an origin are read', async () => {
  const server = await fakeBolt(() => [{ record: [1, 'a'] }, { record: [2, 'b'] }, end])
  const origin = await openLocal(server.port)
  expect(await readRows(origin, 'RETURN 1')).toEqual([
    [1n, 'a'],
    [2n, 'b'],
  ])
  await origin.close()
  expect(server.queries).toEqual(['RETURN 1'])
})

const [hello, run, begin, route] = [0x01, 0x10, 0x11, 0x66]
const received = ({ messages }: FakeBolt, ...signatures: (number | undefined)[]) =>
  messages.filter((message) => signatures.includes(message[1]))

test('every transaction and query names the database and the bookmarks', async () => {
  const server = await fakeBolt(() => [{ record: [1] }, end])
  const origin = await openLocal(server.port, 60, { database: 'movies', bookmarks: ['FB:one', 'FB:two'] })
  await origin.rows('RETURN 1', {})
  await expect.poll(() => origin.isDue(), { timeout: 10_000 }).toBe(true)
  await origin.renew()
  await origin.each('RETURN 2', {}, (row) => void row.integer())
  await origin.ask('SHOW CONSTRAINTS')
  await origin.close()
  const outsideTransactions = received(server, run).filter((message) => message.includes('SHOW CONSTRAINTS'))
  const starts = [...received(server, begin), ...outsideTransactions].map(String)
  expect(starts).toHaveLength(3)
  for (const text of starts) for (const part of ['movies', 'FB:one', 'FB:two']) expect(text).toContain(part)
})

describe.each(['bolt', 'neo4j'])('an origin of the scheme %s that names other servers', (scheme) => {
  const codes = ['Neo.ClientError.Cluster.NotALeader', 'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase']
  codes.push('Neo.TransientError.General.DatabaseUnavailable', 'Neo.ClientError.Cluster.Routing')

  test.each(codes)('servers that an origin names by %s and a routing table are not connected to', async (failure) => {
    const other = await listenOn('127.0.0.1')
    const address = `127.0.0.1:${other.port}`
    const servers = ['READ', 'WRITE', 'ROUTE'].map((role) => ({ role, addresses: [address] }))
    const rt = { ttl: 1_000, db: 'neo4j', servers }
    const server = await fakeBolt(() => [{ record: [rt] }, { failure }], {
      rt,
      routing: { address },
      advertised_address: address,
      hints: { 'ssr.enabled': true, 'telemetry.enabled': true },
    })
    const origin = await openLocal(server.port, 60, { dbUrl: `${scheme}://127.0.0.1:${server.port}` })
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject({ status: 502 })
    await expect(origin.ask('RETURN 1')).resolves.toBeNull()
    await origin.close()
    expect([server.connections() > 0, other.connections()]).toEqual([true, 0])
    // Neither by a message of its own nor by a procedure.
    expect(received(server, route)).toEqual([])
    expect(new Set(server.queries)).toEqual(new Set(['RETURN 1']))
    // A server that learns the address that its client uses may answer with other addresses.
    for (const message of received(server, hello)) expect(String(message)).not.toContain('routing')
  })
})

describe('failures of an origin are classified by code', () => {
  const broke = ['originBroke', true]
  test.each<[string, (string | boolean)[]]>([
    ['Neo.TransientError.Transaction.DeadlockDetected', broke],
    ['Neo.TransientError.Transaction.Terminated', broke],
    ['Neo.TransientError.Transaction.LockClientStopped', broke],
    ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', broke],
    ['Neo.TransientError.General.DatabaseUnavailable', broke],
    ['Neo.ClientError.Transaction.TransactionTimedOut', ['originTimeLimit', false]],
    ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', ['originTimeLimit', false]],
    ['Neo.ClientError.Transaction.TransactionNotFound', broke],
    ['Neo.DatabaseError.General.UnknownError', broke],
    ['Neo.ClientError.Security.Unauthorized', ['originRefusedCredentials', false]],
    ['Neo.ClientError.Security.Forbidden', ['originRefusedCredentials', false]],
    ['Neo.ClientError.Statement.SyntaxError', ['originRefusedQuery', false]],
    ['Neo.TransientError.Transaction.BookmarkTimeout', ['originBehind', true]],
  ])('failures of an origin are classified by code: %s', async (failure, [code, retryable]) => {
    const server = await fakeBolt(() => [{ failure }])
    const origin = await openLocal(server.port)
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject({ status: 502, code, retryable })
    await origin.close()
  })
})

test('Neo4j 3.5 that has not reached the bookmarks is told from its other changes of state by the message', async () => {
  const failure = 'Neo.TransientError.Transaction.InstanceStateChanged'
  const codeOf = async (message: string) => {
    const origin = await openLocal((await fakeBolt(() => [{ failure, message }])).port)
    const error = await origin.rows('RETURN 1', {}).catch((error) => error)
    await origin.close()
    return error.code
  }
  expect(await codeOf('Database not up to the requested version: 7. Latest database version is 3')).toBe('originBehind')
  expect(await codeOf('The instance is no longer the leader')).toBe('originBroke')
})

test.each([
  ['Neo.ClientError.Database.DatabaseNotFound', 'noSuchDatabase'],
  ['Neo.ClientError.Transaction.InvalidBookmark', 'bookmarksRefused'],
  ['Neo.ClientError.Transaction.InvalidBookmarkMixture', 'bookmarksRefused'],
])('%s is the fault of the request', async (failure, code) => {
  const server = await fakeBolt(() => [{ failure }])
  const origin = await openLocal(server.port)
  await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject({ status: 422, code, retryable: false })
  await origin.close()
})

describe('an origin whose response does not end', () => {
  function* endless(): Generator<Reply> {
    for (;;) yield { record: ['x'] }
  }

  test('an origin whose response does not end does not exhaust memory: both rows and ask give up', async () => {
    const server = await fakeBolt(endless)
    const origin = await openLocal(server.port)
    await expect(origin.ask('RETURN 1')).resolves.toBeNull()
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject({ status: 502, code: 'originBroke' })
    await origin.close()
  })

  test('an origin whose response does not end is read row by row until the consumer refuses it', async () => {
    const server = await fakeBolt(endless)
    const origin = await openLocal(server.port)
    let rows = 0
    const read = origin.each('RETURN 1', {}, (row) => {
      expect(row.text()).toBe('x')
      if (++rows === 10_000) throw new Error('enough')
    })
    await expect(read).rejects.toMatchObject({ status: 502, code: 'originBroke' })
    expect(rows).toBe(10_000)
    await origin.close()
  })
})

describe('an origin that falls silent', () => {
  function* twoAndNoMore(): Generator<Reply> {
    yield { record: ['one'] }
    yield { record: ['two'] }
  }

  test('an origin that falls silent in the middle of rows is abandoned after the silence timeout', async () => {
    const server = await fakeBolt(twoAndNoMore)
    const broken = { status: 502, code: 'originBroke', retryable: true }
    const origin = await openLocal(server.port, 2)
    await expect(origin.rows('RETURN 1', {})).rejects.toMatchObject(broken)
    await origin.close()
    const another = await openLocal(server.port, 2)
    const read: unknown[] = []
    const all = another.each('RETURN 1', {}, (row) => read.push(row.text()))
    await expect(all).rejects.toMatchObject(broken)
    expect(read).toEqual(['one', 'two'])
    await another.close()
  })

  test('an origin that falls silent while the consumer pauses does not time out', async () => {
    const server = await fakeBolt(() => [{ record: ['one'] }, { record: ['two'] }, end])
    const origin = await openLocal(server.port, 1)
    const { rows } = await origin.rows('RETURN 1', {})
    // Three times the silence timeout.
    const now = process.uptime()
    await expect.poll(() => process.uptime() - now, { timeout: 30_000 }).toBeGreaterThan(3)
    // Rows received before the pause do not need the connection, another query does.
    expect(rows && valuesOf(rows)).toEqual([['one'], ['two']])
    expect(await readRows(origin, 'RETURN 2')).toEqual([['one'], ['two']])
    await origin.close()
  })
})
