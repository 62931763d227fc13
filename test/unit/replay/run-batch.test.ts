import { describe, expect, test } from 'vitest'
import { type Batch, batchesOf } from '../../../client/replay/order/batches.ts'
import type { PackedItem } from '../../../client/replay/order/packed.ts'
import { createRunner, type RunnerSettings } from '../../../client/replay/run/run-batch.ts'
import { createTally } from '../../../client/replay/run/transaction.ts'
import { databaseError, type FakeTarget, fakeTarget } from './fake-connection.ts'
import { nodeDelete, nodeUpsert, relationshipUpsert } from './items.ts'

const ids = (count: number, first = 0) => Array.from({ length: count }, (_, index) => `p${first + index}`)
const batchOf = (items: PackedItem[]) => batchesOf(items, 1_000)[0] as Batch<PackedItem>
const upserts = (names: string[]) => batchOf(names.flatMap((id) => nodeUpsert(id)))

function runnerOf({ connection }: FakeTarget, settings: Partial<RunnerSettings> = {}) {
  const tally = createTally()
  const { signal } = new AbortController()
  return { tally, ...createRunner({ connection, tally, lanes: 4, signal, ...settings }) }
}

/** Fails with each of these codes in turn, then no more. */
function failing(...codes: string[]): () => undefined {
  return () => {
    const code = codes.shift()
    if (code !== undefined) throw databaseError(code)
  }
}

const deadlock = 'Neo.TransientError.Transaction.DeadlockDetected'

describe('a batch', () => {
  test('a batch is repeated after a deadlock, and counted', async () => {
    const target = fakeTarget(failing(deadlock, deadlock))
    const { runBatch, tally } = runnerOf(target)
    await runBatch(upserts(ids(3)))
    expect(target.committed.map((rows) => rows.map(([id]) => id))).toEqual([ids(3)])
    expect(tally).toMatchObject({ retried: 2, transactions: 1, rows: 3, counters: { nodesCreated: 3 } })
  })

  test('a batch is repeated alone from the third failure on, and given up after the eighth repetition', async () => {
    const target = fakeTarget((rows) => {
      if (rows.length === 1) throw databaseError(deadlock)
      return undefined
    })
    const { runBatch, tally } = runnerOf(target)
    await expect(runBatch(upserts(ids(1)))).rejects.toMatchObject({
      kind: 'failed',
      message: `the target failed: ${deadlock}: it is ${deadlock}`,
    })
    expect(tally).toMatchObject({ retried: 8, transactions: 0 })
  })

  test('a batch waits until no other transaction is open, when it has failed three times', async () => {
    const beside: number[] = []
    const target = fakeTarget((rows, open) => {
      if (rows.length > 1) return undefined
      beside.push(open - 1)
      if (beside.length <= 3) throw databaseError(deadlock)
      return undefined
    })
    const { runBatch } = runnerOf(target)
    const others = Array.from({ length: 3 }, async () => {
      while (beside.length <= 3) await runBatch(upserts(ids(2)))
    })
    await Promise.all([runBatch(upserts(ids(1))), ...others])
    expect(Math.max(...beside.slice(0, 3))).toBeGreaterThan(0)
    expect(beside.slice(3)).toEqual([0])
  })

  test.each([
    'Neo.TransientError.General.MemoryPoolOutOfMemoryError',
    'Neo.TransientError.General.TransactionOutOfMemoryError',
  ])('a batch is halved until the target has the memory for it: %s', async (code) => {
    const target = fakeTarget((rows) => {
      if (rows.length > 3) throw databaseError(code)
      return undefined
    })
    const { runBatch, tally } = runnerOf(target)
    await runBatch(upserts(ids(10)))
    expect(target.committed.map((rows) => rows.length)).toEqual([3, 2, 3, 2])
    expect(target.committed.flat().map(([id]) => id)).toEqual(ids(10))
    expect(tally).toMatchObject({ retried: 0, rows: 10 })
  })

  test('a batch that is one delete of many nodes is halved, too', async () => {
    const idsOf = (rows: unknown[][]) => rows.flatMap(([ids]) => ids as string[])
    const target = fakeTarget((rows) => {
      if (idsOf(rows).length > 200) throw databaseError('Neo.TransientError.General.MemoryPoolOutOfMemoryError')
      return undefined
    })
    await runnerOf(target).runBatch(batchOf(nodeDelete(ids(500))))
    expect(target.committed.map((rows) => idsOf(rows).length)).toEqual([125, 125, 125, 125])
    expect(target.committed.flatMap(idsOf)).toEqual(ids(500))
  })

  test('a batch for which no memory is enough is a bad pair', async () => {
    const code = 'Neo.TransientError.General.TransactionOutOfMemoryError'
    const target = fakeTarget(() => {
      throw databaseError(code)
    })
    await expect(runnerOf(target).runBatch(upserts(ids(2)))).rejects.toMatchObject({
      kind: 'failed',
      message: `part 1, pair 1 (node upsert, :P p0): ${code}: it is ${code}`,
    })
  })

  test.each([
    ['a lost node', 1, nodeUpsert('p1'), 0, 'the target lost it'],
    ['a lost relationship', 1, relationshipUpsert('p1', 'p2'), 0, 'the target lost it'],
    ['two nodes of one identity', 1, nodeUpsert('p1'), 2, 'the target has several nodes of this identity'],
  ])('a batch with %s is rolled back', async (_what, _pairs, items, touched, message) => {
    const target = fakeTarget(() => touched)
    await expect(runnerOf(target).runBatch(batchOf(items))).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(new RegExp(`: ${message}$`)),
    })
    expect(target.committed).toEqual([])
  })

  test('a batch that sets parallel relationships is committed, and tells how many', async () => {
    const { runBatch, tally } = runnerOf(fakeTarget(() => 5))
    await runBatch(batchOf(relationshipUpsert('p1', 'p2')))
    expect(tally).toMatchObject({ parallelCopies: 4, rows: 1 })
  })

  test.each([
    ...['ProtocolError', 'Neo.ClientError.Security.Forbidden', 'Neo.ClientError.Statement.AccessMode'],
    ...['Neo.ClientError.General.ForbiddenOnReadOnlyDatabase', 'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase'],
    ...['Neo.ClientError.Cluster.NotALeader', 'Neo.ClientError.Database.DatabaseNotFound'],
    ...['Neo.ClientError.Transaction.TransactionTerminated', 'Neo.DatabaseError.Transaction.TransactionCommitFailed'],
  ])('a batch is not blamed for a target that is not there, or that refuses every pair: %s', async (code) => {
    const collected: unknown[] = []
    const onRefused = (pair: unknown) => void collected.push(pair)
    const { runBatch } = runnerOf(fakeTarget(failing(code)), { onRefused })
    await expect(runBatch(upserts(ids(4)))).rejects.toMatchObject({ kind: 'failed' })
    expect(collected).toEqual([])
  })

  test.each([
    ...['Neo.ClientError.Schema.ConstraintValidationFailed', 'Neo.ClientError.Statement.ArgumentError'],
    ...['Neo.ClientError.General.InvalidArguments', 'Neo.ClientError.Transaction.TransactionHookFailed'],
  ])('a batch is cut until the pair is found that causes %s', async (code) => {
    const collected: unknown[] = []
    const target = fakeTarget((rows) => {
      if (rows.some(([id]) => id === 'p2')) throw databaseError(code)
      return undefined
    })
    const { runBatch } = runnerOf(target, { onRefused: ({ parameters }) => void collected.push(parameters.id) })
    await runBatch(upserts(ids(4)))
    expect(collected).toEqual(['p2'])
  })

  test('a batch does not begin when the replay is interrupted, or another lane has failed', async () => {
    const target = fakeTarget((rows) => {
      if (rows.length === 1) throw databaseError('Neo.ClientError.Statement.TypeError')
      return undefined
    })
    const { runBatch } = runnerOf(target)
    await expect(runBatch(upserts(ids(1)))).rejects.toMatchObject({ kind: 'failed' })
    await expect(runBatch(upserts(ids(2)))).rejects.toMatchObject({ name: 'AbortError' })
    const interrupted = runnerOf(target, { signal: AbortSignal.abort() })
    await expect(interrupted.runBatch(upserts(ids(2)))).rejects.toMatchObject({ name: 'AbortError' })
    expect(target.committed).toEqual([])
  })
})

test('refused pairs are handed over one at a time', async () => {
  const events: string[] = []
  const target = fakeTarget((rows) => {
    if (rows.some(([id]) => id === 'p1' || id === 'p2')) throw databaseError('Neo.ClientError.Statement.TypeError')
    return undefined
  })
  const onRefused: RunnerSettings['onRefused'] = async ({ parameters }) => {
    events.push(`begin ${parameters.id}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    events.push(`end ${parameters.id}`)
  }
  const { runBatch, tally } = runnerOf(target, { onRefused })
  await Promise.all([runBatch(upserts(['p1', 'p3'])), runBatch(upserts(['p2', 'p4']))])
  expect(events.map((event) => event.split(' ')[0])).toEqual(['begin', 'end', 'begin', 'end'])
  expect(target.committed.flat().map(([id]) => id)).toEqual(expect.arrayContaining(['p3', 'p4']))
  expect(tally).toMatchObject({ rejected: 2, rows: 2 })
})
