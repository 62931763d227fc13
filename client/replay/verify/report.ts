import { type DifferenceKind, differenceKinds, type Finding } from '../../../shared/packet/check/finding.ts'
import { type StatementKind, statementKinds } from '../../../shared/packet/kinds/statement.ts'
import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { zeros } from '../run/transaction.ts'
import type { Difference } from './reader.ts'

/** What a comparison has found. */
export interface VerifyReport {
  /** Pairs that were compared, by kind. */
  pairs: Record<StatementKind, number>
  /** Pairs that would change something. */
  differing: number
  /** Differences, by kind; a pair may have several. */
  differences: Record<DifferenceKind, number>
  /** The differences that come first in the packet. */
  first: (Finding & Place)[]
  /** The fraction of the pairs that was drawn. */
  sample: number
  /** Constraints that the manifest asks for and the target lacks, so that the comparison was slow. */
  missingConstraints: readonly Uniqueness[]
  seconds: number
}

export const createReport = (sample: number): VerifyReport => ({
  ...{ pairs: zeros(statementKinds), differing: 0, differences: zeros(differenceKinds), first: [] },
  ...{ sample, missingConstraints: [], seconds: 0 },
})

/** Counts differences, and keeps the `mostShown` first ones, in the order of the packet, that have a text. */
export function addDifferences(report: VerifyReport, found: readonly Difference[], mostShown: number): void {
  const { differences, first } = report
  for (const { kind, text, item } of found) {
    differences[kind]++
    if (text !== '') first.push({ ...item.place, kind, text })
  }
  first.sort((a, b) => a.part - b.part || a.pair - b.pair)
  first.length = Math.min(first.length, mostShown)
}
