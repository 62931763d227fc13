import type { Command } from 'commander'
import type { DifferenceKind } from '../../packet/check/finding.ts'
import { type Context, warn } from '../context.ts'
import { number, plural, present } from '../format.ts'
import { fractionOf, type ProgressOptions, wholeNumber } from '../options.ts'
import { startProgress } from '../progress.ts'
import { namesOf } from '../replay/preflight/constraints.ts'
import type { Target } from '../replay/replay.ts'
import type { VerifyOptions, VerifyReport } from '../replay/verify/verify.ts'
import { baseOf, type Source } from '../source/source.ts'
import type { LaneOptions } from './replaying.ts'

export interface ComparisonOptions extends LaneOptions, ProgressOptions {
  sample?: number
  maxDifferences?: number
}

const [allPairs, usualShown] = [1, 20]

export const withSample = (command: Command): Command =>
  command
    .option('--sample <fraction>', 'compare only so many of the pairs, drawn at random: above 0, at most 1', fractionOf)
    .option('--max-differences <n>', 'how many differences to describe; all are counted', wholeNumber(0, 10_000))

export type Compare = (source: Source, target: Target, options: VerifyOptions) => Promise<VerifyReport>

/** Runs a comparison and shows its progress. */
export async function runComparison(
  { stderr, signal }: Context,
  source: Source,
  target: Target,
  options: ComparisonOptions,
  compare: Compare,
  onDifference?: VerifyOptions['onDifference'],
): Promise<VerifyReport> {
  const { lanes, batch, sample = allPairs, maxDifferences = usualShown } = options
  const progress = startProgress(stderr, options.progress, options.stage)
  try {
    return await compare(source, target, {
      lanes,
      batchRows: batch,
      sample,
      mostShown: maxDifferences,
      signal,
      onDifference,
      onProgress({ partsDone, parts, pairs, differences }) {
        const text = `${plural(pairs, 'pair')} compared, ${plural(differences, 'difference')}`
        progress.update({ done: partsDone, total: parts, text })
      },
    })
  } finally {
    progress.stop()
  }
}

/** Kinds of differences, as headings of their counts. */
export const differenceWords: Record<DifferenceKind, string> = {
  missingNode: 'missing nodes',
  duplicateNode: 'nodes that are there more than once',
  undeletedNode: 'nodes still there',
  undeletedRelationship: 'relationships still there',
  labelDiffers: 'labels',
  propertyDiffers: 'properties that differ',
  extraProperty: 'extra properties',
  missingRelationship: 'missing relationships',
  staleRelationship: 'nodes with stale relationships',
  invalidPair: 'pairs that the target refuses',
}

/** How many pairs were compared. */
export const comparedIn = ({ pairs }: VerifyReport): number =>
  Object.values(pairs).reduce((sum, count) => sum + count, 0)

/** What differs: counts by kind, then each of the first differences. */
export function differenceLines({ differing, differences, first }: VerifyReport): string[] {
  if (differing === 0) return []
  const kinds = present(differences)
  const rest = kinds.reduce((sum, [, count]) => sum + count, 0) - first.length
  return [
    ...kinds.map(([kind, count]) => `  ${differenceWords[kind as DifferenceKind]}: ${number.format(count)}`),
    ...first.map(({ part, pair, text, ...place }) => `${placeText(place)}part ${part}, pair ${pair}: ${text}`),
    ...(rest > 0 ? [`and ${plural(rest, 'difference')} more`] : []),
  ]
}

/** In a comparison with a state, the packet of a pair. */
const placeText = (place: object): string => ('packet' in place ? `${place.packet}, ` : '')

/** What a comparison found, for people. */
export function verifyLines(name: string, report: VerifyReport): string[] {
  return [`${name}: ${foundText(report)}; ${comparedText(report)}`, ...differenceLines(report)]
}

/** What a comparison found, in a few words. */
export function foundText(report: VerifyReport): string {
  const { differing } = report
  if (differing > 0) return `${plural(differing, 'pair')} ${differing === 1 ? 'differs' : 'differ'}`
  if (comparedIn(report) === 0) return 'nothing was compared'
  return isEqual(report) ? 'the target agrees' : 'no difference found'
}

/** Whether the target agrees with the packet; null if no difference was found in a sample, or nothing was compared. */
export function isEqual(report: VerifyReport): boolean | null {
  if (report.differing > 0) return false
  return report.sample === 1 && comparedIn(report) > 0 ? true : null
}

export function comparedText(report: VerifyReport): string {
  const pairs = comparedIn(report)
  const sample = report.sample < 1 ? ', a sample,' : ''
  return `${plural(pairs, 'pair')}${sample} compared in ${report.seconds.toFixed(1)} s (${number.format(Math.round(pairs / report.seconds))} pairs/s)`
}

/** Says that a delta holds only a part, and that a target must have its base if nothing checks that. */
export function sayBase(context: Context, source: Source, isCompared = false): void {
  const base = baseOf(source)
  if (isCompared && base !== null && typeof base !== 'string') {
    warn(context, `${source.name} is a delta: only what differs from ${base.packet} is compared; --state compares all`)
  }
  if (typeof base !== 'string') return
  const name = `${source.name} is a delta: it holds only what differs from the packet with the digest ${base}`
  warn(context, `${name}, which the target must have; this is not checked`)
}

/** Says why a comparison was slow. */
export function warnOfConstraints(context: Context, { missingConstraints }: VerifyReport): void {
  if (missingConstraints.length === 0) return
  warn(
    context,
    `warning: the target has no uniqueness constraint on ${namesOf(missingConstraints)}, which made this slow`,
  )
}
