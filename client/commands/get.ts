import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { usageError } from '../exit.ts'
import { packetText, plural } from '../format.ts'
import { type CommonOptions, type ProgressOptions, progressOption } from '../options.ts'
import { startProgress } from '../progress.ts'
import { serviceSource, sourceElsewhere } from '../source/resolve.ts'
import { savePacket } from '../source/save.ts'

interface Options extends CommonOptions, ProgressOptions {
  output?: string
}

/** `packets get`: downloads a packet into a directory. */
export function get(context: Context): Command {
  return new Command('get')
    .description('download the parts of a packet and its manifest.json; continues where it was interrupted')
    .argument('<source>', 'ORG/NAME at the service')
    .option('-o, --output <dir>', 'directory to write to; the name of the packet without .json if absent')
    .addOption(progressOption(context))
    .action(async (word: string, options: Options) => {
      if (await sourceElsewhere(context, word))
        throw usageError(`get downloads packets of the service, and ${word} is none`)
      const source = await serviceSource(context, word, options)
      const directory = options.output ?? word.slice(word.lastIndexOf('/') + 1).replace(/(?<=.)\.json$/, '')
      const progress = startProgress(context.stderr, options.progress)
      const saved = await savePacket(source, directory, context.signal, progress).finally(() => progress.stop())
      const { pairs = null, bytes = null, sha256 = null, generation = null } = source.manifest ?? {}
      const parts = source.parts.length
      const had = saved.kept > 0 ? ` (${plural(saved.kept, 'part')} had been there)` : ''
      const text = `${directory}: ${packetText(pairs, parts, bytes)}${had}`
      printResult(context, options.json, { directory, generation, sha256, pairs, bytes, parts, ...saved }, [text])
    })
}
