import { type DifferenceKind, differenceKinds, type Finding } from '../../../packet/check/finding.ts'
import { type StatementKind, statementKinds } from '../../../packet/kinds/statement.ts'
import type { Place } from '../../../packet/parts/parse-part.ts'
import { createRecogniser } from '../../../packet/recognise.ts'
import { type GuardOptions, openGuard } from '../base/guard.ts'
import type { Item } from '../order/batches.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { survey } from '../preflight/needs.ts'
import { type PreflightSettings, preflight, preflightRead } from '../preflight/preflight.ts'
import { atTarget, type Connection, type Target } from '../run/connection.ts'
import { zeros } from '../run/transaction.ts'
import type { PacketSource } from '../source/load-part.ts'
import { usualWindowBytes, windowsOf } from '../source/windows.ts'
import { createReader, type Difference, type ReaderSettings } from './reader.ts'

export interface VerifyOptions extends ReaderSettings {
  /** The fraction of the pairs to compare, drawn at random: above 0, at most 1. */
  sample: number
  onProgress?: (progress: VerifyProgress) => void
  onDifference?: (difference: Difference) => void
  /** Selects what to compare of each pair: all of it, a share of its list, or nothing (null). */
  select?: (item: Item) => Item | null
  /** Limit of the JSON of parts that are compared together, bytes; twice as much is in memory. */
  windowBytes?: number
}

/** How far a comparison is; reported after every query. */
export interface VerifyProgress {
  partsDone: number
  parts: number
  /** Pairs compared. */
  pairs: number
  /** Differences found. */
  differences: number
}

/**
 * Compares a target with a packet, types included, and writes nothing: they agree when no pair would change anything.
 * Anything that the packet does not mention is not compared. The target should not change during the comparison.
 * @throws ReplayError
 */
export const verify = (source: PacketSource, target: Target, options: VerifyOptions): Promise<VerifyReport> =>
  atTarget(target, 'read', options.signal, (connection) => compare(connection, source, options))

/**
 * Says what a replay would change, and writes nothing: its checks before the first write, then a comparison.
 * `missingConstraints` are the constraints that the replay would create.
 * @throws ReplayError as the replay would before its first write
 */
export async function dryRun(
  source: PacketSource,
  target: Target,
  options: VerifyOptions & PreflightSettings & GuardOptions,
): Promise<VerifyReport> {
  const { signal } = options
  const { missing } = await atTarget(target, 'write', signal, async (connection) => {
    const { needed } = await survey(source, { recognise: createRecogniser(), signal })
    const found = await preflight(connection, needed, options, signal)
    await openGuard(connection, source, options, found.databaseId, signal)
    return found
  })
  return { ...(await verify(source, target, options)), missingConstraints: missing }
}

async function compare(connection: Connection, source: PacketSource, options: VerifyOptions): Promise<VerifyReport> {
  const started = performance.now()
  const { sample, mostShown, windowBytes = usualWindowBytes, select = (item) => item, signal } = options
  const report: VerifyReport = {
    pairs: zeros(statementKinds),
    differing: 0,
    differences: zeros(differenceKinds),
    first: [],
    sample,
    seconds: 0,
    missingConstraints: await preflightRead(connection, source.requires?.constraints ?? [], signal),
  }
  const read = createReader(connection, options)
  const progress = { partsDone: 0, parts: source.parts.length, pairs: 0, differences: 0 }
  const settings = { recognise: createRecogniser(), windowBytes, signal }
  for await (const window of windowsOf(source, [...source.parts.keys()], settings)) {
    const selected = window.flatMap((part) => part.items.flatMap((item) => select(item) ?? []))
    const items = selected.filter(() => Math.random() < sample)
    for (const { recognised } of items) report.pairs[recognised.kind]++
    const differing = new Set<Place>()
    await read(items, (batch, found) => {
      addDifferences(report, found, mostShown)
      for (const difference of found) {
        differing.add(difference.item.place)
        options.onDifference?.(difference)
      }
      progress.pairs += batch.items.length
      progress.differences += found.length
      options.onProgress?.({ ...progress })
    })
    report.differing += differing.size
    progress.partsDone += window.length
    options.onProgress?.({ ...progress })
  }
  report.seconds = (performance.now() - started) / 1_000
  return report
}

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

/** Counts differences, and keeps the `mostShown` first ones, in the order of the packet, that have a text. */
function addDifferences(report: VerifyReport, found: readonly Difference[], mostShown: number): void {
  const { differences, first } = report
  for (const { kind, text, item } of found) {
    differences[kind]++
    if (text !== '') first.push({ ...item.place, kind, text })
  }
  first.sort((a, b) => a.part - b.part || a.pair - b.pair)
  first.length = Math.min(first.length, mostShown)
}
