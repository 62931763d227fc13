import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { type Context, printResult } from '../context.ts'
import { different, Failure, usageError } from '../exit.ts'
import { number, plural } from '../format.ts'
import { type CommonOptions, progressOption } from '../options.ts'
import { namesOf } from '../replay/preflight/constraints.ts'
import type { ReplayReport } from '../replay/replay.ts'
import { dryRun } from '../replay/verify/verify.ts'
import { resolveSource, sourceHelp } from '../source/resolve.ts'
import { baseOf } from '../source/source.ts'
import { openRejects, type Rejects } from '../target/rejects.ts'
import {
  type ReplayingOptions,
  recordFileOf,
  replayText,
  requireChain,
  requireConsistent,
  runReplay,
  withReplaying,
} from '../target/replaying.ts'
import { readTarget, type TargetOptions, withTarget } from '../target/target.ts'
import { comparedIn, comparedText, differenceLines, runComparison, sayBase } from '../target/verifying.ts'

interface Options extends CommonOptions, TargetOptions, ReplayingOptions {
  onError: 'stop' | 'collect'
  rejects?: string
  dryRun?: true
}

/** `packets replay`: replays a packet into a target. */
export function replay(context: Context): Command {
  const command = withTarget(
    new Command('replay')
      .description('get a packet into a target; the same command continues where it was interrupted')
      .argument('<source>', sourceHelp),
  )
  withReplaying(command)
    .addOption(
      new Option('--on-error <what>', 'at a pair that the target refuses: stop, or collect it in --rejects')
        .choices(['stop', 'collect'])
        .default('stop'),
    )
    .option('--rejects <file>', 'part file to write the pairs to that the target refused')
    .addOption(
      new Option('--undo <dir>', 'directory to write a packet to first that brings back what the replay touches')
        // Without constraints an id may name several nodes, and an undo could not know which one is meant.
        .conflicts('withoutConstraints'),
    )
    .addOption(
      new Option('--dry-run', 'write nothing; say what would change').conflicts([
        ...['state', 'restart', 'onError', 'rejects', 'inOrder', 'undo', 'record'],
      ]),
    )
    .addOption(progressOption(context))
  return command.action((word: string, options: Options) =>
    options.dryRun ? foretell(context, word, options) : run(context, word, options),
  )
}

async function run(context: Context, word: string, options: Options): Promise<void> {
  requireConsistent(options)
  const { onError, rejects: file } = options
  if ((onError === 'collect') !== (file !== undefined)) {
    throw usageError('--on-error collect and --rejects need each other')
  }
  const target = await readTarget(context, options)
  const source = await resolveSource(context, word, options)
  requireChain(source, options)
  sayBase(context, source)
  if (file !== undefined && resolve(file) === source.place) {
    throw usageError(`--rejects: ${file} is the packet to replay; name another file`)
  }
  const rejects = file === undefined ? null : await openRejects(file)
  const report = await runReplay(context, source, target, options, rejects)
  const result = { source: source.name, base: baseOf(source), target: target.url, ...report, undo: options.undo }
  const undo = options.undo === undefined ? '' : `; packets replay ${options.undo} undoes it`
  printResult(context, options.json, result, [replayText(source.name, report) + undo])
  if (report.rejected === 0) return
  const which = `the target refused ${plural(report.rejected, 'pair')}, ${whereRejects(report, file, rejects)}`
  throw new Failure('target', `${which}; all others were replayed`)
}

function whereRejects({ rejectedBefore }: ReplayReport, file: string | undefined, rejects: Rejects | null): string {
  if (rejectedBefore === 0) return `which ${file} has`
  const before = `${number.format(rejectedBefore)} of them in earlier runs`
  return rejects?.earlier
    ? `${before}; ${file} was continued, and has ${plural(rejects.count(), 'pair')}`
    : `${before}, whose --rejects have them`
}

/** Says what a replay would change. */
async function foretell(context: Context, word: string, options: Options): Promise<void> {
  requireConsistent(options)
  const { createConstraints, withoutConstraints, ignoreBase } = options
  const target = await readTarget(context, options)
  const source = await resolveSource(context, word, options)
  requireChain(source, options)
  sayBase(context, source)
  const report = await runComparison(context, source, target, options, (packet, to, settings) =>
    dryRun(packet, to, {
      ...settings,
      createConstraints,
      withoutConstraints,
      recordFile: recordFileOf(to),
      ignoreBase,
    }),
  )
  const { differing, missingConstraints } = report
  const changes = `${plural(differing, 'pair')} of ${comparedIn(report)} would change the target`
  const lines = [
    `${source.name}: ${differing === 0 ? 'no pair that was compared would change the target' : changes}; ${comparedText(report)}`,
    ...(missingConstraints.length > 0
      ? [`uniqueness constraints that would be created: ${namesOf(missingConstraints)}`]
      : []),
    ...differenceLines(report),
  ]
  printResult(
    context,
    options.json,
    { source: source.name, base: baseOf(source), target: target.url, ...report },
    lines,
  )
  if (differing > 0 || missingConstraints.length > 0) throw different()
}
