import { createHash } from 'node:crypto'
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { cannotBe, usageError } from '../exit.ts'
import { number, plural } from '../format.ts'
import { type ProgressOptions, wholeNumber } from '../options.ts'
import { type Progress, startProgress } from '../progress.ts'
import {
  type Progress as ReplayProgress,
  type ReplayReport,
  replay as replayInto,
  type Target,
} from '../replay/replay.ts'
import { targetHash } from '../replay/resume/resume.ts'
import type { Source } from '../source/source.ts'
import type { Rejects } from './rejects.ts'

export interface LaneOptions {
  lanes: number | 'auto'
  batch: number
}

/** The options of a replay, wherever its packet comes from. */
export interface ReplayingOptions extends LaneOptions, ProgressOptions {
  inOrder?: true
  createConstraints?: true
  withoutConstraints?: true
  state?: string
  restart?: true
  undo?: string
  record?: true
  ignoreBase?: true
}

const lanesOf = (text: string) => (text === 'auto' ? text : wholeNumber(1, 64)(text))

export const withLanes = (command: Command): Command =>
  command
    .option('--lanes <n>', 'transactions at once, or auto', lanesOf, 'auto')
    .option('--batch <rows>', 'most rows of one transaction', wholeNumber(1, 10_000), 1_000)

export const withReplaying = (command: Command): Command =>
  withLanes(command)
    .option('--in-order', 'keep the order of the packet, in one lane: slow')
    .option('--create-constraints', 'create the constraints that are missing at the target')
    .addOption(new Option('--without-constraints', 'do without them, in one lane: slow').conflicts('createConstraints'))
    .option('--state <file>', 'file that remembers the parts done; one in .packets/ if absent')
    .option('--restart', 'start over, whatever the state file says')
    .option('--record', 'keep a marker in the target that says which state it has, for later deltas')
    .option('--ignore-base', 'replay a delta even if nothing shows that the target has its base')

/** Refuses options that contradict each other. @throws Failure (usage) */
export function requireConsistent({ lanes, inOrder, withoutConstraints }: ReplayingOptions): void {
  if (withoutConstraints && lanes !== 'auto' && lanes > 1) throw usageError('--without-constraints: needs one lane')
  if (inOrder && lanes !== 'auto' && lanes > 1) throw usageError('--in-order: needs one lane')
}

/** Refuses options that have no effect on a packet. @throws Failure (usage) */
export function requireChain({ name, chain }: Source, { record, ignoreBase }: ReplayingOptions): void {
  const { base = null, state = null } = chain ?? {}
  if (record && base === null && state === null)
    throw usageError(`--record: ${name} leads to no state; publish it with --as-base`)
  if (ignoreBase && base === null) throw usageError(`--ignore-base: ${name} needs no base`)
}

/** The file that remembers, beside a state file, which states this client has replayed into a target. */
export const recordFileOf = ({ url, database }: Target, stateFile = join('.packets', '-')): string =>
  join(dirname(stateFile), `${targetHash(url, database).slice(0, 32)}.target`)

/** Replays a packet and shows the progress. `rejects` receives the pairs that the target refuses, and is closed. */
export async function runReplay(
  { stderr, signal }: Context,
  source: Source,
  target: Target,
  options: ReplayingOptions,
  rejects: Rejects | null = null,
): Promise<ReplayReport> {
  const { lanes, batch, inOrder, restart, createConstraints, withoutConstraints } = options
  // The name says where the packet is, not what it holds, so that a new generation of it is noticed.
  const stateFile = options.state ?? fileAbout([source.place, target.url, target.database], 'json')
  const progress = startProgress(stderr, options.progress, options.stage)
  try {
    await requireWritableFile(stateFile)
    if (options.undo !== undefined) await requireWritable('--undo', options.undo, 'name another directory')
    return await replayInto(source, target, {
      lanes,
      batchRows: batch,
      inOrder,
      restart,
      createConstraints,
      withoutConstraints,
      stateFile,
      signal,
      undoDirectory: options.undo,
      recordFile: recordFileOf(target, stateFile),
      record: options.record,
      ignoreBase: options.ignoreBase,
      rejected: rejects?.add,
      onProgress: progressOf(source, progress),
    })
  } finally {
    progress.stop()
    await rejects?.close()
  }
}

/** The path of a file that records progress. Its name is a digest of `words`, which say what the progress is about. */
export function fileAbout(words: unknown, ending: 'json' | 'copy'): string {
  const name = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return join('.packets', `${name.slice(0, 32)}.${ending}`)
}

/** Checks first that progress can be recorded. @throws Failure (usage) */
async function requireWritableFile(stateFile: string): Promise<void> {
  if (stateFile === '') throw usageError('--state: must name a file')
  const found = await stat(stateFile).catch(() => null)
  if (found?.isDirectory()) throw usageError(`--state: ${stateFile} is a directory; name a file`)
  await requireWritable('--state', dirname(stateFile), 'name a file in another directory')
}

async function requireWritable(option: string, directory: string, hint: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
    .then(() => access(directory, constants.W_OK))
    .catch(cannotBe('written', `${option}: ${directory}`, `; ${hint}`))
}

/** Shows pairs where the source says how many there are, else parts. */
function progressOf({ parts }: Source, progress: Progress) {
  const isCounted = parts.every((part) => part.pairs !== null)
  const pairs = isCounted ? parts.reduce((sum, part) => sum + (part.pairs ?? 0), 0) : null
  let before = 0
  return ({ partsDone, rows, transactions }: ReplayProgress) => {
    // Until the first transaction, the parts done are those that an earlier run has replayed.
    if (transactions === 0) before = partsDone
    const text = textOf({ rows, transactions })
    if (pairs === null) return progress.update({ done: partsDone, total: parts.length, text, count: rows })
    const done = Math.min(pairs, Math.round(rows + (pairs * before) / parts.length))
    progress.update({ done, total: pairs, text, count: rows })
  }
}

const textOf = ({ rows, transactions }: Pick<ReplayReport, 'rows' | 'transactions'>) =>
  `${plural(rows, 'row')} in ${plural(transactions, 'transaction')}`

export function replayText(name: string, report: ReplayReport): string {
  const { rows, seconds, partsDone, partsSkipped } = report
  const rate = `${seconds.toFixed(1)} s (${number.format(Math.round(rows / seconds))} rows/s)`
  const before = partsSkipped > 0 ? `, ${plural(partsSkipped, 'part')} of them before` : ''
  return `${name}: replayed ${plural(partsDone, 'part')}${before}: ${textOf(report)}, ${rate}`
}
