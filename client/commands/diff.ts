import { setFlagsFromString } from 'node:v8'
import { Command } from 'commander'
import { type Context, printResult, warn } from '../context.ts'
import { different, usageError } from '../exit.ts'
import { kindLines, number, plural } from '../format.ts'
import type { CommonOptions } from '../options.ts'
import { type DiffReport, diff as differenceOf } from '../replay/diff/diff.ts'
import { resolveSources, sourceHelp } from '../source/resolve.ts'
import type { Source } from '../source/source.ts'
import { openPacketWriter, type PacketWriter } from '../source/write-packet.ts'

interface Options extends CommonOptions {
  out?: string
}

/** `packets diff`: the pairs of a new packet that a target with the old one still needs. */
export function diff(context: Context): Command {
  return new Command('diff')
    .description('count, or write, the pairs of a new packet that a target with the old one still needs')
    .argument('<old>', sourceHelp)
    .argument('<new>', 'the other packet, named in the same way')
    .option('--out <dir>', 'directory, absent or empty, to write the pairs to that only the new packet has')
    .action(async (old: string, other: string, options: Options) => {
      if (old === '-' && other === '-') throw usageError('only one of the packets can be standard input')
      const [from, to] = (await resolveSources(context, [old, other], options)) as [Source, Source]
      const writer = options.out === undefined ? null : await openPacketWriter(options.out)
      const report = await run(from, to, writer, context.signal).catch(async (error) => {
        await writer?.discard().catch(() => {})
        throw error
      })
      const { onlyNew, onlyOld, upserts } = report
      if (upserts.all > fewUpserts && upserts.inOld < upserts.all * hardlyAny) {
        const which = `hardly any of the ${number.format(upserts.all)} upserts of ${to.name} is in ${from.name}`
        warn(context, `warning: ${which}; a timestampProperty in the request makes every stamped pair differ`)
      }
      const value = {
        old: { name: from.name, ...report.old },
        new: { name: to.name, ...report.new },
        onlyNew: { pairs: onlyNew.pairs, statements: onlyNew.statements },
        onlyOld: { pairs: onlyOld },
        ...(options.out === undefined ? {} : { out: options.out }),
      }
      printResult(context, options.json, value, linesOf(from, to, report, options.out))
      if (onlyNew.pairs > 0) throw different()
    })
}

const fewUpserts = 100
const hardlyAny = 0.01

async function run(from: Source, to: Source, writer: PacketWriter | null, signal: AbortSignal): Promise<DiffReport> {
  // The pairs of a part survive a few garbage collections. By default, V8 would let the heap grow by more than the rest
  // of the process takes.
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30']) setFlagsFromString(flag)
  const report = await differenceOf(from, to, { ...(writer ? { added: writer.add } : {}), signal })
  await writer?.end(report.onlyNew, report.old.sha256)
  return report
}

function linesOf(from: Source, to: Source, report: DiffReport, directory: string | undefined): string[] {
  const { onlyNew, onlyOld } = report
  const lacking = `${from.name} (${number.format(report.old.pairs)}) lacks ${number.format(onlyNew.pairs)}`
  return [
    `${to.name}: ${plural(report.new.pairs, 'pair')}, of which ${lacking}`,
    ...kindLines(onlyNew.statements),
    ...(onlyOld > 0
      ? [`${plural(onlyOld, 'distinct pair')} only ${from.name} has; replaying the new packet does not undo them`]
      : []),
    ...(directory === undefined ? [] : [`${directory}: ${plural(onlyNew.pairs, 'pair')}`]),
  ]
}
