import { Command } from 'commander'
import type { Model } from '../../wire/model.ts'
import { type Context, printResult } from '../context.ts'
import { number, plural } from '../format.ts'
import { type CommonOptions, openService } from '../options.ts'
import { describeProperty, pictureOfModel } from '../picture/picture-of-model.ts'
import { type PictureOptions, pictureOption, savePicture } from '../picture/save-picture.ts'

interface Options extends CommonOptions, PictureOptions {}

/** `packets model`: the node types of a data model. */
export function model(context: Context): Command {
  return new Command('model')
    .description('say what is in a version of a data model')
    .argument('<version>', 'grn of a manager version')
    .addOption(pictureOption('the node types'))
    .action(async (version: string, options: Options) => {
      const client = await openService(context, options)
      const found = await client.model(version, context.signal)
      if (options.picture) await savePicture(options.picture, pictureOfModel(version, found))
      printResult(context, options.json, { version, ...found }, linesOf(version, found))
    })
}

function linesOf(version: string, { properties, nodeTypes }: Model): string[] {
  return [
    `${version}: ${plural(nodeTypes.length, 'node type')}, ${number.format(properties.length)} ${properties.length === 1 ? 'property' : 'properties'}`,
    ...nodeTypes.map(({ key, properties: own }) =>
      own.length === 0 ? `  ${key}` : `  ${key}: ${own.map(describeProperty).join(', ')}`,
    ),
  ]
}
