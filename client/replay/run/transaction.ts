import { setTimeout as delay } from 'node:timers/promises'
import type { Transaction } from 'neo4j-driver'
import type { LimitFunction } from 'p-limit'
import { type StatementKind, statementKinds } from '../../../packet/kinds/statement.ts'
import type { Batch } from '../order/batches.ts'
import { overRows } from '../order/over-rows.ts'
import { type PackedItem, packedRowsOf } from '../order/packed.ts'
import { type Connection, inSession } from './connection.ts'
import { MiscountedRows } from './failures.ts'
import { PackedRows } from './sending.ts'

/** Runs a batch in a transaction of its own. `commits` limits how many commit at once. */
export const commitBatch = (
  connection: Connection,
  batch: Batch<PackedItem>,
  commits: LimitFunction,
): Promise<Committed> =>
  inSession(connection, async (session) => {
    const transaction = await session.beginTransaction()
    try {
      // The second query is sent without waiting for the answer to the first.
      const [done] = await Promise.all([runRows(transaction, batch), connection.check?.(transaction)])
      await inTurn(commits, () => transaction.commit())
      return done
    } finally {
      await transaction.close()
    }
  })

/** Runs a batch in a transaction, without committing. @throws MiscountedRows */
export async function runRows(transaction: Transaction, batch: Batch<PackedItem>): Promise<Committed> {
  const rows = new PackedRows(packedRowsOf(batch.items))
  const { records, summary } = await transaction.run(overRows(batch.recognised), { rows })
  const parallelCopies = extraRows(batch, Number(records[0]?.get(0)))
  return { rows: batch.items.length, counters: summary.counters.updates(), parallelCopies }
}

const longestWaitMs = 1_000

/**
 * Commits when it is the turn of the transaction, or after a second: other clients may wait for its locks, and the
 * target, which ends deadlocks, does not see that a transaction waits here.
 */
async function inTurn(commits: LimitFunction, commit: () => Promise<void>): Promise<void> {
  const turn = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  commits(() => {
    turn.resolve()
    return committed.promise
  })
  await Promise.race([turn.promise, delay(longestWaitMs, undefined, { ref: false })])
  try {
    await commit()
  } finally {
    committed.resolve()
  }
}

/** @throws MiscountedRows if an upsert was lost, or set several nodes of one identity. */
function extraRows({ recognised: { kind }, items }: Batch<PackedItem>, touched: number): number {
  if (kind !== 'nodeUpsert' && kind !== 'relationshipUpsert') return 0
  const extra = touched - items.length
  if (extra < 0) throw new MiscountedRows('the target lost it')
  if (extra > 0 && kind === 'nodeUpsert') throw new MiscountedRows('the target has several nodes of this identity')
  return extra
}

/** What has been done to the target so far. */
export interface Tally {
  /** Pairs that were replayed, by kind. */
  pairs: Record<StatementKind, number>
  /** Rows of all transactions; more than the pairs where a node delete was cut. */
  rows: number
  transactions: number
  /** Transactions that failed and were repeated. */
  retried: number
  /** The sums of the target's own counters. */
  counters: Record<string, number>
  /** Relationships set beyond one for each upsert, because the target has parallel ones. */
  parallelCopies: number
  /** Pairs that the target refused, in this replay or before. */
  rejected: number
}

/** What one committed transaction did. */
export type Committed = Pick<Tally, 'rows' | 'counters' | 'parallelCopies'>

export const createTally = (): Tally => ({
  pairs: zeros(statementKinds),
  rows: 0,
  transactions: 0,
  retried: 0,
  counters: {},
  parallelCopies: 0,
  rejected: 0,
})

export const zeros = <K extends string>(kinds: readonly K[]) =>
  Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<K, number>

/** Adds a committed transaction. */
export function addCommitted(tally: Tally, { rows, counters, parallelCopies }: Committed): void {
  tally.transactions++
  tally.rows += rows
  tally.parallelCopies += parallelCopies
  for (const [name, count] of Object.entries(counters)) tally.counters[name] = (tally.counters[name] ?? 0) + count
}
