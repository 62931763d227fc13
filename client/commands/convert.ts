import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Context, printResult, warn } from '../context.ts'
import { Failure } from '../exit.ts'
import { number, plural } from '../format.ts'
import { type ConvertReport, convert as convertPacket, schemaFile, scriptFile } from '../importer/convert.ts'
import { type Release, releases } from '../importer/values.ts'
import { type CommonOptions, type ProgressOptions, progressOption } from '../options.ts'
import { startProgress } from '../progress.ts'
import { resolveSource, sourceHelp } from '../source/resolve.ts'
import { baseOf } from '../source/source.ts'

interface Options extends CommonOptions, ProgressOptions {
  to: 'import-csv'
  database: string
  importer: Release
}

/** `packets convert`: makes files for the importer of Neo4j, which fill an empty database faster than a replay. */
export function convert(context: Context): Command {
  return new Command('convert')
    .description('write a whole packet as files that neo4j-admin database import full takes')
    .argument('<source>', sourceHelp)
    .argument('<dir>', 'directory, absent or empty, to write to')
    .addOption(new Option('--to <format>', 'what to write').choices(['import-csv']).makeOptionMandatory())
    .option('--database <name>', 'database that the importer makes', databaseName, 'neo4j')
    .addOption(new Option('--importer <release>', 'Neo4j that will import the files').choices(releases).default('5'))
    .addOption(progressOption(context))
    .action(async (word: string, directory: string, options: Options) => {
      const source = await resolveSource(context, word, options)
      if (baseOf(source) !== null) {
        const why = 'it holds only what differs from another packet, and an import makes a whole database'
        throw new Failure('refused', `${source.name} is a delta: ${why}`)
      }
      const progress = startProgress(context.stderr, options.progress)
      const report = await convertPacket(source, {
        directory,
        database: options.database,
        release: options.importer,
        signal: context.signal,
        onProgress({ partsDone, parts, pairs }) {
          progress.update({ done: partsDone, total: parts, text: plural(pairs, 'pair') })
        },
      }).finally(() => progress.stop())
      if (report.byZoneData > 0) warn(context, warningOf(report))
      const { database, importer } = options
      const commands = commandsOf(word, directory, database)
      const result = { source: source.name, directory, database, importer, ...report, commands }
      printResult(context, options.json, result, linesOf(directory, report, commands))
    })
}

/** The importer's rule, which also keeps the name safe in a script. */
function databaseName(name: string): string {
  if (/^[A-Za-z][A-Za-z0-9.-]{2,62}$/.test(name) && name.toLowerCase() !== 'system') return name
  throw new InvalidArgumentError(
    'must be 3 to 63 letters, digits, dots and dashes, begin with a letter, and not be system.',
  )
}

const warningOf = ({ byZoneData }: ConvertReport) =>
  `warning: the instant of ${plural(byZoneData, 'datetime')} in zones depends on the time-zone data of the importer; packets verify compares them`

const commandsOf = (word: string, directory: string, database: string) => ({
  import: `sh ${shown(join(directory, scriptFile))}`,
  schema: `cypher-shell -d ${database} -f ${shown(join(directory, schemaFile))}`,
  verify: `packets verify ${shown(word)} --to URL --database ${database}`,
})

/** A word of a command line of a shell. */
const shown = (word: string) =>
  /^[\w./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`

function linesOf(
  directory: string,
  { nodes, relationships, files }: ConvertReport,
  commands: ReturnType<typeof commandsOf>,
) {
  return [
    `${directory}: ${plural(nodes, 'node')} and ${plural(relationships, 'relationship')} in ${number.format(files.length)} files`,
    'Import them where the server is installed, while the database does not run. This fails if a row is skipped:',
    `  ${commands.import}`,
    'Then start the database, create its constraints, and compare it with the packet:',
    `  ${commands.schema}`,
    `  ${commands.verify}`,
  ]
}
