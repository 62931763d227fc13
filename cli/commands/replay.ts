import { createHash } from 'node:crypto'
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { type Progress as ReplayProgress, type ReplayReport, replay as replayInto } from '../../shared/replay/replay.ts'
import { type Context, printResult } from '../context.ts'
import { Failure, usageError } from '../exit.ts'
import { number, plural } from '../format.ts'
import {
  type OutputOptions,
  type ProgressOptions,
  progressOption,
  type ServiceOptions,
  wholeNumber,
  withJson,
  withService,
} from '../options.ts'
import { type Progress, startProgress } from '../progress.ts'
import { openRejects } from '../rejects.ts'
import { resolveSource, sourceHelp } from '../source/resolve.ts'
import type { Source } from '../source/source.ts'
import { readTarget, type TargetOptions, withTarget } from '../target.ts'

interface Options extends ServiceOptions, OutputOptions, ProgressOptions, TargetOptions {
  lanes: number | 'auto'
  batch: number
  inOrder?: true
  createConstraints?: true
  withoutConstraints?: true
  onError: 'stop' | 'collect'
  rejects?: string
  state?: string
  restart?: true
  allowOther?: true
  undo?: string
}

const lanesOf = (text: string) => (text === 'auto' ? text : wholeNumber(1, 64)(text))

/** `packets replay`: gets a packet into a target. */
export function replay(context: Context): Command {
  const command = withTarget(
    new Command('replay')
      .description('get a packet into a target; the same command goes on where it was interrupted')
      .argument('<source>', sourceHelp),
  )
    .option('--lanes <n>', 'transactions at once, or auto', lanesOf, 'auto')
    .option('--batch <rows>', 'most rows of one transaction', wholeNumber(1, 10_000), 1_000)
    .option('--in-order', 'keep the order of the packet, in one lane: slow')
    .option('--create-constraints', 'create the constraints that are missing at the target')
    .addOption(new Option('--without-constraints', 'do without them, in one lane: slow').conflicts('createConstraints'))
    .addOption(
      new Option('--on-error <what>', 'at a pair that the target refuses: stop, or collect it in --rejects')
        .choices(['stop', 'collect'])
        .default('stop'),
    )
    .option('--rejects <file>', 'part file to write the pairs to that the target refused')
    .option('--state <file>', 'file that remembers the parts done; one in .packets/ if absent')
    .option('--restart', 'begin anew, whatever the state file says')
    .option('--allow-other', 'also run statements that the service does not write, one by one')
    .addOption(
      new Option('--undo <dir>', 'directory to write a packet to first that brings back what the replay touches')
        // Neither what other statements touch nor which of several nodes is meant could be known.
        .conflicts(['allowOther', 'withoutConstraints']),
    )
    .addOption(progressOption(context))
  return withService(withJson(command)).action((word: string, options: Options) => run(context, word, options))
}

async function run(context: Context, word: string, options: Options): Promise<void> {
  const { lanes, batch, onError, rejects: rejectsFile, createConstraints = false, withoutConstraints = false } = options
  if ((onError === 'collect') !== (rejectsFile !== undefined)) {
    throw usageError('--on-error collect and --rejects need each other')
  }
  if (withoutConstraints && lanes !== 'auto' && lanes > 1) throw usageError('--without-constraints: needs one lane')
  if (options.inOrder && lanes !== 'auto' && lanes > 1) throw usageError('--in-order: needs one lane')
  const target = await readTarget(context, options)
  const source = await resolveSource(context, word, options)
  if (rejectsFile !== undefined && resolve(rejectsFile) === source.place) {
    throw usageError(`--rejects: ${rejectsFile} is the packet to replay; name another file`)
  }
  const stateFile = options.state ?? defaultStateFile(source.place, target.url, target.database)
  await requireWritableFile(stateFile)
  if (options.undo !== undefined) await requireWritable('--undo', options.undo, 'name another directory')
  const rejects = rejectsFile === undefined ? null : await openRejects(rejectsFile)
  const progress = startProgress(context.stderr, options.progress)
  let report: ReplayReport
  try {
    report = await replayInto(source, target, {
      ...{ lanes, batchRows: batch, createConstraints, withoutConstraints, onError, stateFile },
      inOrder: options.inOrder === true,
      ...{ restart: options.restart === true, allowOther: options.allowOther === true, signal: context.signal },
      ...(options.undo === undefined ? {} : { undoDirectory: options.undo }),
      ...(rejects ? { rejected: rejects.add } : {}),
      onProgress: progressOf(source, progress),
    })
  } finally {
    progress.stop()
    await rejects?.close()
  }
  printResult(
    context,
    options.json,
    { source: source.name, target: target.url, ...report, undo: options.undo },
    `${resultText(source.name, report)}${options.undo === undefined ? '' : `; packets replay ${options.undo} undoes it`}`,
  )
  if (report.rejected > 0) {
    const which = `the target refused ${plural(report.rejected, 'pair')}, ${whereRejects(report, rejectsFile)}`
    throw new Failure('target', `${which}; all others were replayed`)
  }
}

const whereRejects = ({ rejectedBefore }: ReplayReport, file: string | undefined) =>
  rejectedBefore === 0
    ? `which ${file} has`
    : `${number.format(rejectedBefore)} of them in earlier runs, whose --rejects have them`

/** Named after where the packet is, not what it holds: another generation must be noticed, not taken for another packet. */
function defaultStateFile(place: string, url: string, database: string | null): string {
  const name = createHash('sha256')
    .update(JSON.stringify([place, url, database]))
    .digest('hex')
  return join('.packets', `${name.slice(0, 32)}.json`)
}

/** Tried before anything is replayed, as what is done could not be remembered. @throws Failure (usage) */
async function requireWritableFile(stateFile: string): Promise<void> {
  const found = await stat(stateFile).catch(() => null)
  if (found?.isDirectory()) throw usageError(`--state: ${stateFile} is a directory; name a file`)
  await requireWritable('--state', dirname(stateFile), 'name a file in another directory')
}

async function requireWritable(option: string, directory: string, hint: string): Promise<void> {
  await mkdir(directory, { recursive: true })
    .then(() => access(directory, constants.W_OK))
    .catch(({ code }) => {
      throw usageError(`${option}: ${directory} cannot be written (${code}); ${hint}`)
    })
}

/** Shows pairs where the source says how many there are, else parts. */
function progressOf({ parts }: Source, progress: Progress) {
  const pairs = parts.reduce<number | null>(
    (sum, part) => (sum === null || part.pairs === null ? null : sum + part.pairs),
    0,
  )
  let before: number | null = null
  return ({ partsDone, rows, transactions }: ReplayProgress) => {
    before ??= partsDone
    const text = textOf({ rows, transactions })
    if (pairs === null) return progress.update({ done: partsDone, total: parts.length, text })
    const done = Math.min(pairs, Math.round(rows + (pairs * before) / parts.length))
    progress.update({ done, total: pairs, text })
  }
}

const textOf = ({ rows, transactions }: Pick<ReplayReport, 'rows' | 'transactions'>) =>
  `${plural(rows, 'row')} in ${plural(transactions, 'transaction')}`

function resultText(name: string, report: ReplayReport): string {
  const { rows, seconds, partsDone, partsSkipped } = report
  const rate = `${seconds.toFixed(1)} s (${number.format(Math.round(rows / seconds))} rows/s)`
  const before = partsSkipped > 0 ? `, ${plural(partsSkipped, 'part')} of them before` : ''
  return `${name}: replayed ${plural(partsDone, 'part')}${before}: ${textOf(report)}, ${rate}`
}
