import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { different } from '../exit.ts'
import { type CommonOptions, progressOption } from '../options.ts'
import { drawDifferences } from '../picture/picture-of-differences.ts'
import { type PictureOptions, pictureOption, savePicture } from '../picture/save-picture.ts'
import { verifyState } from '../replay/state/verify-state.ts'
import { verify as compare } from '../replay/verify/verify.ts'
import { chainOf } from '../source/chain.ts'
import { resolveSource, sourceHelp } from '../source/resolve.ts'
import { baseOf } from '../source/source.ts'
import { withLanes } from '../target/replaying.ts'
import { readTarget, type TargetOptions, withTarget } from '../target/target.ts'
import {
  type Compare,
  type ComparisonOptions,
  foundText,
  isEqual,
  runComparison,
  sayBase,
  verifyLines,
  warnOfConstraints,
  withSample,
} from '../target/verifying.ts'

interface Options extends CommonOptions, TargetOptions, ComparisonOptions, PictureOptions {
  state?: true
}

/** `packets verify`: says whether a target agrees with a packet. */
export function verify(context: Context): Command {
  const command = withTarget(
    new Command('verify')
      .description('compare a target with a packet, types included; writes nothing')
      .argument('<source>', sourceHelp),
  )
  withSample(withLanes(command))
    .option('--state', 'compare with the whole state that a packet at the service leads to, not with its own pairs')
    .addOption(pictureOption('what differs'))
    .addOption(progressOption(context))
  return command.action(async (word: string, options: Options) => {
    const target = await readTarget(context, options)
    const source = await resolveSource(context, word, options)
    const state = options.state ? await chainOf(context, word, source, options) : null
    if (state === null) sayBase(context, source, true)
    const drawing = drawDifferences()
    const comparison: Compare = state === null ? compare : (_, to, settings) => verifyState(state, to, settings)
    const report = await runComparison(context, source, target, options, comparison, drawing.add)
    if (options.picture) await savePicture(options.picture, drawing.picture(`${source.name}: ${foundText(report)}`))
    warnOfConstraints(context, report)
    const result = {
      source: source.name,
      base: baseOf(source),
      target: target.url,
      ...(state === null ? {} : { packets: state.packets.map(({ name }) => name) }),
      isEqual: isEqual(report),
      ...report,
    }
    printResult(context, options.json, result, verifyLines(source.name, report))
    if (report.differing > 0) throw different()
  })
}
