import { Command } from 'commander'
import { type Context, printResult } from '../context.ts'
import { kindLines, packetText, plural, reportLines, requiresLines } from '../format.ts'
import type { CommonOptions } from '../options.ts'
import { pictureOfShape } from '../picture/picture-of-shape.ts'
import { type PictureOptions, pictureOption, savePicture } from '../picture/save-picture.ts'
import { type Contents, contentsOf } from '../source/contents.ts'
import type { Manifest } from '../source/manifest.ts'
import { resolveSource, sourceHelp } from '../source/resolve.ts'
import type { Source } from '../source/source.ts'

interface Options extends CommonOptions, PictureOptions {}

/** `packets inspect`: what a packet holds and what a target needs for it, without a database. */
export function inspect(context: Context): Command {
  return new Command('inspect')
    .description('say what is in a packet and what a target needs for it')
    .argument('<source>', sourceHelp)
    .addOption(pictureOption('what is in the packet'))
    .action(async (word: string, options: Options) => {
      const source = await resolveSource(context, word, options)
      const { shape, ...contents } = await contentsOf(source, context.signal, options.picture !== undefined)
      if (options.picture && shape) {
        const identities = contents.requires.constraints
        await savePicture(options.picture, pictureOfShape(source.name, { shape, identities }))
      }
      const { name, generation, sha256 } = source
      const { base = null, state = null, masking = null, expiresAt = null } = source.manifest ?? {}
      const parts = source.parts.map((part) => ({ name: part.name, pairs: part.pairs, sha256: part.sha256 }))
      const result = { name, generation, sha256, base, state, masking, expiresAt, ...contents, parts }
      printResult(context, options.json, result, linesOf(source, contents))
    })
}

function linesOf(
  { name, generation, sha256, parts, manifest }: Source,
  { pairs, bytes, statements, requires, report }: Omit<Contents, 'shape'>,
) {
  return [
    `${name}: ${packetText(pairs, parts.length, bytes)}${generation === null ? '' : `, generation ${generation}`}`,
    ...(sha256 === null ? [] : [`sha256: ${sha256}`]),
    ...(manifest?.expiresAt ? [`expires: ${manifest.expiresAt}`] : []),
    ...(manifest?.base ? [`base: ${baseText(manifest.base)}, the packet that a target must have`] : []),
    ...(manifest?.state ? [`state: ${stateText(manifest.state)}`] : []),
    ...(manifest?.masking ? [`masked: ${maskingText(manifest.masking)}`] : []),
    ...kindLines(statements),
    ...requiresLines(requires),
    ...(report ? reportLines(report) : []),
  ]
}

const maskingText = ({ key, sha256 }: NonNullable<Manifest['masking']>): string =>
  `by rules with the digest ${sha256}${key === null ? '' : `, hashes with the key ${key}`}`

const baseText = (base: NonNullable<Manifest['base']>): string =>
  typeof base === 'string' ? base : `${base.packet}, generation ${base.generation}`

const stateText = ({ sha256, pairs, nodes, relationships }: NonNullable<Manifest['state']>): string =>
  `${sha256}, of ${plural(pairs, 'pair')}, ${plural(nodes, 'node')} and ${plural(relationships, 'relationship')}`
