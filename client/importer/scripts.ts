import { isQuotable } from '../../packet/cypher/identifiers.ts'
import { existence, index, type SchemaTexts, uniqueness } from '../../packet/cypher/schema.ts'
import type { Uniqueness } from '../replay/preflight/constraints.ts'
import type { TableFile } from './files.ts'
import { arrayDelimiter, type Release } from './values.ts'

interface Import {
  files: readonly TableFile[]
  database: string
  release: Release
  /** Whether a text has a line break. */
  multiline: boolean
  /** Bytes of the longest row, without the commas of missing properties; 0 if no row is long. */
  longestRow: number
}

/** Bytes that the importer reads at once unless it is told otherwise; every row must fit. */
const usualBuffer = 4 * 1024 * 1024
/** More than the commas of a row. */
const spare = 1024 * 1024

const codePoint = `U+${arrayDelimiter.charCodeAt(0).toString(16).toUpperCase()}`

/**
 * The script that runs the importer on the files. The importer ends with 0 even if it was told to skip bad rows and has
 * skipped some; only its report has them.
 */
export function importScript({ files, database, release, multiline, longestRow }: Import): string {
  const options = [
    `--array-delimiter=${codePoint}`,
    ...(multiline ? ['--multiline-fields=true'] : []),
    ...(longestRow + spare > usualBuffer ? [`--read-buffer-size=${longestRow + spare}`] : []),
    '--report-file="$report"',
    '"$@"',
    // The importer of 2026 takes no path without a folder.
    ...files.map(({ elements, file }) => `--${elements}=./${file}`),
  ]
  return `#!/bin/sh
# Imports the files of this directory into the new database "${database}", by neo4j-admin of Neo4j ${release}. Run it where
# the server is installed, as the server's user, while that database does not run. NEO4J_ADMIN names another
# neo4j-admin, IMPORT_REPORT another file than import.report. Arguments go to the importer, such as
# --overwrite-destination. Fails if the importer stops, or skips a row.
set -eu
cd -- "$(dirname -- "$0")"
report=\${IMPORT_REPORT:-$PWD/import.report}
rm -f -- "$report"
"\${NEO4J_ADMIN:-neo4j-admin}" database import full ${database} \\
  ${options.join(' \\\n  ')}
if [ -s "$report" ]; then
  cat -- "$report" >&2
  echo "error: the importer skipped rows; drop the database, it lacks them" >&2
  exit 1
fi
`
}

/** The commands that a database needs after an import: constraints, and what the manifest says of the model. */
export function schemaCommands(needed: readonly Uniqueness[], requires: object | undefined): string {
  const { constraints, model } = (requires ?? {}) as { constraints?: unknown; model?: { [name: string]: unknown } }
  const commands = [
    ...named([...needed, ...listed(constraints)]).map((one) => textOf(uniqueness, one)),
    ...named(listed(model?.indexes)).map((one) => textOf(index, one)),
    // Community would refuse these, and the commands after them would not run.
    ...named(listed(model?.existence)).map((one) => `// Enterprise Edition: ${textOf(existence, one)}`),
  ]
  return commands.map((command) => `${command}\n`).join('')
}

const textOf = (make: (label: string, property: string) => SchemaTexts, { label, property }: Uniqueness) =>
  `${make(label, property)['5']};`

const listed = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : [])

/** Labels and properties without duplicates. A manifest that others wrote may name anything. */
function named(list: readonly unknown[]): Uniqueness[] {
  const found = new Map<string, Uniqueness>()
  for (const one of list) {
    const { label, property } = (one ?? {}) as Partial<Record<keyof Uniqueness, unknown>>
    if (typeof label !== 'string' || typeof property !== 'string' || !isQuotable(label) || !isQuotable(property))
      continue
    found.set(JSON.stringify([label, property]), { label, property })
  }
  return [...found.values()]
}
