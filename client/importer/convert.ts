import { createRecogniser } from '../../packet/recognise.ts'
import { createNeeds } from '../replay/preflight/needs.ts'
import { windowsOf } from '../replay/source/windows.ts'
import type { Source } from '../source/source.ts'
import { createCollector } from './collect.ts'
import { createTableFiles, openDirectory, type TableFile } from './files.ts'
import { createProblems } from './problems.ts'
import { resolve } from './resolve.ts'
import { importScript, schemaCommands } from './scripts.ts'
import { createSpill } from './spill.ts'
import { createTables } from './tables.ts'
import type { Release } from './values.ts'

export interface ConvertOptions {
  directory: string
  database: string
  release: Release
  signal: AbortSignal
  onProgress(progress: { partsDone: number; parts: number; pairs: number }): void
}

export interface ConvertReport {
  pairs: number
  nodes: number
  relationships: number
  files: TableFile[]
  /** Datetimes whose instant the importer takes from its own time-zone data. */
  byZoneData: number
}

export const scriptFile = 'import.sh'
export const schemaFile = 'schema.cypher'

/** Groups of records, of which one is in memory at a time. */
const mostGroups = 512

/**
 * Writes what a replay of the packet makes of an empty database as files for `neo4j-admin database import full`. Reads
 * the packet once and divides what it holds into groups on disk, because the importer takes each node and relationship
 * once, and pairs may repeat them.
 * @throws Failure (refused) that names what the importer cannot take; (usage) if the directory cannot be written.
 * ReplayError `broken`
 */
export async function convert(source: Source, options: ConvertOptions): Promise<ConvertReport> {
  const { release, signal, onProgress } = options
  const directory = await openDirectory(options.directory)
  const tables = createTables()
  // The importer demands a file of nodes, even of an empty packet.
  tables.layoutOf('nodes', [], [])
  const problems = createProblems()
  const needs = createNeeds()
  const report = { pairs: 0, byZoneData: 0 }
  try {
    const spill = createSpill(directory.path, Math.min(mostGroups, Math.max(1, source.parts.length)))
    const { cleanup = 0 } = source.manifest?.statements ?? { cleanup: 1 }
    const onZoneData = () => void report.byZoneData++
    const collector = createCollector({ spill, tables, problems, hasCleanups: cleanup > 0, release, onZoneData })
    const settings = { recognise: createRecogniser(), windowBytes: 1, signal }
    let partsDone = 0
    for await (const parts of windowsOf(source, [...source.parts.keys()], settings)) {
      for (const { items } of parts) {
        needs.add(items)
        for (const item of items) collector.add(item)
        report.pairs += items.length
      }
      partsDone += parts.length
      onProgress({ partsDone, parts: source.parts.length, pairs: report.pairs })
    }
    problems.throwIfAny(source.name)

    const written = createTableFiles(directory.path, tables.all)
    let files: TableFile[]
    try {
      for await (const bytes of spill.groups()) {
        signal.throwIfAborted()
        for (const { table, columns, key, end } of resolve(bytes, tables.all, problems))
          written.add(table, columns, bytes, key, end)
      }
      problems.throwIfAny(source.name)
      files = written.end()
    } finally {
      written.close()
    }
    await directory.write(schemaFile, schemaCommands(needs.all(), source.manifest?.requires))
    await directory.write(scriptFile, importScript({ files, ...collector.seen, ...options }), 0o777)
    signal.throwIfAborted()
    await directory.end()
    const rowsOf = (elements: TableFile['elements']) =>
      files.reduce((sum, file) => sum + (file.elements === elements ? file.rows : 0), 0)
    return { ...report, nodes: rowsOf('nodes'), relationships: rowsOf('relationships'), files }
  } catch (error) {
    await directory.discard()
    if ((error as NodeJS.ErrnoException).syscall !== undefined) directory.unwritable(error)
    throw error
  }
}
