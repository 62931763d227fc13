import { describe, expect, test } from 'vitest'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { fakeBolt, type Reply } from '../../support/fake-bolt.ts'
import { listenOn } from '../../support/hostile-origins.ts'

const credentials = `Basic ${btoa('user:password')}`

const open = (port: number, silenceSeconds = 60) =>
  openOrigin(
    { dbUrl: `bolt://127.0.0.1:${port}`, credentials },
    {
      allow: [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port }],
      ports: [port],
      silenceSeconds,
      stallSeconds: 60,
      dnsServers: null,
    },
    60,
  )

const end: Reply = { success: { has_more: false } }

test('the rows of an origin are read', async () => {
  const server = await fakeBolt(() => [{ record: [[1, 'a']] }, { record: [[2, 'b']] }, end])
  const origin = await open(server.port)
  expect(await origin.rows('RETURN 1')).toEqual([
    [1n, 'a'],
    [2n, 'b'],
  ])
  await origin.close()
  expect(server.queries).toEqual(['RETURN 1'])
})

describe('an origin that names other servers', () => {
  const codes = ['Neo.ClientError.Cluster.NotALeader', 'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase']
  codes.push('Neo.TransientError.General.DatabaseUnavailable', 'Neo.ClientError.Cluster.Routing')

  test.each(codes)('by %s and a routing table: none of them is connected to', async (failure) => {
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
    const origin = await open(server.port)
    await expect(origin.rows('RETURN 1')).rejects.toMatchObject({ status: 502 })
    await expect(origin.ask('RETURN 1')).resolves.toBeNull()
    await origin.close()
    expect([server.connections() > 0, other.connections()]).toEqual([true, 0])
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
  ])('%s', async (failure, [code, retryable]) => {
    const server = await fakeBolt(() => [{ failure }])
    const origin = await open(server.port)
    await expect(origin.rows('RETURN 1')).rejects.toMatchObject({ status: 502, code, retryable })
    await origin.close()
  })
})

describe('an origin whose response does not end', () => {
  function* endless(): Generator<Reply> {
    for (;;) yield { record: [['x']] }
  }

  test('does not exhaust memory: both rows and ask give up', async () => {
    const server = await fakeBolt(endless)
    const origin = await open(server.port)
    await expect(origin.ask('RETURN 1')).resolves.toBeNull()
    await expect(origin.rows('RETURN 1')).rejects.toMatchObject({ status: 502, code: 'originBroke' })
    await origin.close()
  })

  test('is read as far as the consumer reads', async () => {
    const server = await fakeBolt(endless)
    const origin = await open(server.port)
    let rows = 0
    for await (const row of origin.read('RETURN 1')) {
      expect(row).toEqual([['x']])
      if (++rows === 10_000) break
    }
    await origin.close()
  })
})

describe('an origin that falls silent', () => {
  function* twoAndNoMore(): Generator<Reply> {
    yield { record: [['one']] }
    yield { record: [['two']] }
  }

  test('in the middle of rows is abandoned after the silence timeout', async () => {
    const server = await fakeBolt(twoAndNoMore)
    const broken = { status: 502, code: 'originBroke', retryable: true }
    const origin = await open(server.port, 2)
    await expect(origin.rows('RETURN 1')).rejects.toMatchObject(broken)
    await origin.close()
    const another = await open(server.port, 2)
    const read: unknown[] = []
    const all = async () => {
      for await (const row of another.read('RETURN 1')) read.push(row)
    }
    await expect(all()).rejects.toMatchObject(broken)
    expect(read).toEqual([[['one']], [['two']]])
    await another.close()
  })

  test('while the consumer pauses does not time out', async () => {
    const server = await fakeBolt(() => [{ record: [['one']] }, { record: [['two']] }, end])
    const origin = await open(server.port, 1)
    const rows = origin.read('RETURN 1')
    expect((await rows.next()).value).toEqual([['one']])
    // Three times the silence timeout.
    const now = process.uptime()
    await expect.poll(() => process.uptime() - now, { timeout: 30_000 }).toBeGreaterThan(3)
    expect((await rows.next()).value).toEqual([['two']])
    expect((await rows.next()).done).toBe(true)
    // Rows received before the pause do not need the connection, another query does.
    expect(await origin.rows('RETURN 2')).toEqual([['one'], ['two']])
    await origin.close()
  })
})
