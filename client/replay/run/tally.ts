import { type StatementKind, statementKinds } from '../../../shared/packet/kinds/statement.ts'

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
  pairs: Object.fromEntries(statementKinds.map((kind) => [kind, 0])) as Tally['pairs'],
  rows: 0,
  transactions: 0,
  retried: 0,
  counters: {},
  parallelCopies: 0,
  rejected: 0,
})

/** Adds a committed transaction. */
export function addCommitted(tally: Tally, { rows, counters, parallelCopies }: Committed): void {
  tally.transactions++
  tally.rows += rows
  tally.parallelCopies += parallelCopies
  for (const [name, count] of Object.entries(counters)) tally.counters[name] = (tally.counters[name] ?? 0) + count
}
