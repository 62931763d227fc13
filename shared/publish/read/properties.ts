import type { Origin } from '../../origin/connect.ts'
import type { Row } from '../../origin/results.ts'
import type { Plan } from '../request/plan.ts'
import { type Columns, columnsOf, comparable, type Properties, propertiesOf } from './columns.ts'
import { eachNode, eachRelationship, type InternalId, internalId } from './internal-ids.ts'
import { createUsualLabels } from './label-cache.ts'
import { elementsPerRecord, isDoubtful, queryOfRecords } from './records.ts'
import type { BuildSizes } from './sizes.ts'

/** What earlier reads of one origin have learned, to make later ones cheaper. */
export interface Learned {
  known: KnownColumns
  usualLabels: ReturnType<typeof createUsualLabels>
  /** Types and directions to count before reading: the previous nodes had more of them than may be read at once. */
  counted: Set<string>
}

export const nothingLearned = (): Learned => ({
  known: new Map(),
  usualLabels: createUsualLabels(),
  counted: new Set(),
})

/** What reads depend on. */
export interface Reading extends Learned {
  origin: Origin
  plan: Plan
  sizes: BuildSizes
}

/** Rows to read, each with all properties of one element. */
export interface RowQuery {
  match: string
  /** Variables that it binds, and expressions of them. */
  bound: readonly string[]
  /** The one whose properties are read. */
  variable: 'n' | 'r'
  /** Further expressions to return, given the names of what is bound; the first is the variable's `internalId`. */
  head: (...bound: string[]) => readonly string[]
  parameters: Record<string, unknown>
  /** Identifies elements that probably have the same keys. */
  kind: string
  /** Keys whose columns must hold values, never texts. */
  valueKeys: readonly string[]
  /** The maximum number of rows, if known. */
  count?: number
  /** A single element, which is read whatever its size. */
  isOne?: boolean
}

export interface FoundRow {
  row: Row
  /** Where the head begins. The properties precede it: the row itself holds their values. */
  at: number
  properties: Properties
}

interface Known {
  columns: Columns | null
  rows: number
  /** How many of them did not fit the columns. */
  misfits: number
  /** The approximate memory of a row, and of the largest. */
  rowBytes: number
  largestBytes: number
}

/** The known columns of each kind of element of one origin. */
export type KnownColumns = Map<string, Known>

const nameOf = ({ variable, kind, valueKeys }: Pick<RowQuery, 'variable' | 'kind' | 'valueKeys'>) =>
  JSON.stringify([variable, kind, valueKeys])

// Target memory of rows read at once. Rows of two requests may exist: one being written, one read ahead.
const bytesAtOnce = 16 * 1024 * 1024
/** A read that exceeds this is abandoned, and fewer rows are read. */
const mostBytes = 24 * 1024 * 1024

/** How many rows of a kind may be read at once, given their known size. */
export function rowsAtOnce(known: KnownColumns, query: Parameters<typeof nameOf>[0]): number {
  const rowBytes = known.get(nameOf(query))?.rowBytes ?? 0
  return Math.max(1, Math.floor(bytesAtOnce / Math.max(1, rowBytes)))
}

// Before the sample that determines the columns, so many rows are read to see whether it fits.
const mostProbeRows = 4

/**
 * Rows that do not fit the columns are read twice. Percentages of such rows from which columns are extended, and
 * dropped.
 */
const [learnFrom, giveUpFrom] = [5, 25]

export const listsOf = (variable: string) => [`keys(${variable})`, `[k IN keys(${variable}) | ${variable}[k]]`]

/**
 * Reads all these rows: as columns once these are known, else as lists of keys and values, which is three times the
 * work. Rows that do not fit the columns are read again as lists, so that the result is the same either way.
 * @returns null if there are more than may be read at once; how many may be is then known.
 */
export async function readProperties(
  { origin, known, sizes: { sample: sampleRows } }: Reading,
  query: RowQuery,
): Promise<FoundRow[] | null> {
  const { match, variable, bound, head, parameters, valueKeys, count = 0, isOne = false } = query
  const most = isOne ? Number.POSITIVE_INFINITY : mostBytes
  const asLists = `${match} RETURN [${[...listsOf(variable), ...head(...bound)].join(', ')}]`
  let entry = known.get(nameOf(query))
  if (!entry) {
    const read = (rows: number) => origin.rowsWithin(most, `${asLists} LIMIT ${rows}`, parameters)
    const probeRows = Math.min(mostProbeRows, sampleRows)
    const probe = await read(probeRows)
    // A result of fewer rows is complete.
    if (probe.rows && probe.rows.length < probeRows) return probe.rows.map(fromLists)
    const isLarge = sizeOf(probe) * sampleRows > bytesAtOnce
    const sample = isLarge ? probe : await read(sampleRows)
    const found = sample.rows?.map(fromLists) ?? null
    if (!isLarge && found && found.length < sampleRows) return found
    const properties = found?.map((one) => one.properties)
    const columns = isLarge || origin.legacy || !properties ? null : columnsOf(properties, valueKeys, null)
    entry = { columns, rows: 0, misfits: 0, rowBytes: sizeOf(sample), largestBytes: sample.largestBytes }
    known.set(nameOf(query), entry)
  }
  if (count > rowsAtOnce(known, query)) return null
  const { columns } = entry
  if (columns === null) {
    const read = await origin.rowsWithin(most, asLists, parameters)
    learnSize(entry, read)
    return read.rows?.map(fromLists) ?? null
  }
  const at = columns.keys.length + 1
  const elements = isOne ? 1 : elementsPerRecord(entry.largestBytes)
  const given = { ...parameters, ...comparable, elements: BigInt(elements) }
  const read = await origin.rowsWithin(most, queryOfRecords(query, columns), given, { areGrouped: true })
  learnSize(entry, read)
  const { rows } = read
  if (rows === null) return null
  const found: (FoundRow | null)[] = rows.map((row) => {
    const properties = isDoubtful(columns, row) ? null : propertiesOf(columns, row)
    return properties && { row, at, properties }
  })
  const unsure = rows.filter((_, index) => found[index] === null)
  const misfits = unsure.filter((row) => !isDoubtful(columns, row)).length
  entry.rows += rows.length
  entry.misfits += misfits
  if (unsure.length === 0) return found as FoundRow[]
  const again = await readAgain(
    origin,
    variable,
    unsure.map((row) => row[at] as InternalId),
    most,
  )
  if (again.found === null) {
    learnSize(entry, { ...again, rows: null })
    return null
  }
  const { found: whole } = again
  if (misfits * 100 >= rows.length * learnFrom) entry.columns = columnsOf([...whole.values()], valueKeys, columns)
  if (entry.misfits * 100 >= entry.rows * giveUpFrom && entry.rows > 1_000) entry.columns = null
  return found.flatMap((one, index) => {
    const row = rows[index] as Row
    const properties = one?.properties ?? whole.get(row[at] as InternalId)
    return properties ? [{ row, at, properties }] : []
  })
}

type Read = Awaited<ReturnType<Origin['rowsWithin']>>

const sizeOf = ({ rowBytes }: Pick<Read, 'rowBytes'>) => 500 + rowBytes

/** A few large elements shrink reads only for a while: each complete read allows one twice the size. */
function learnSize(entry: Known, read: Read) {
  const kept = read.rows === null ? 1 : 0.5
  entry.rowBytes = Math.max(sizeOf(read), kept * entry.rowBytes)
  entry.largestBytes = Math.max(read.largestBytes, kept * entry.largestBytes)
}

/** Reads all properties of these nodes or relationships as values; leaves out elements that no longer exist. */
async function readAgain(origin: Origin, variable: 'n' | 'r', ids: readonly InternalId[], most: number) {
  const match = variable === 'n' ? eachNode : eachRelationship
  const query = `${match} RETURN [${[...listsOf(variable), internalId(variable)].join(', ')}]`
  const { rows, ...sizes } = await origin.rowsWithin(most, query, { ids })
  const found = rows && new Map(rows.map((row) => [row[2] as InternalId, fromLists(row).properties]))
  return { found, ...sizes }
}

/** The same properties as values, read again if necessary; null if the element no longer exists. */
export async function readAsValues(
  origin: Origin,
  variable: 'n' | 'r',
  id: InternalId,
  properties: Properties,
): Promise<Properties | null> {
  return properties.columns === null ? properties : allProperties(origin, variable, id)
}

/** All properties of a node or relationship as values; null if it no longer exists. */
export async function allProperties(origin: Origin, variable: 'n' | 'r', id: InternalId): Promise<Properties | null> {
  const { found } = await readAgain(origin, variable, [id], Number.POSITIVE_INFINITY)
  return found?.get(id) ?? null
}

/** Reads a row that begins with the lists of keys and values. */
export function fromLists(row: Row): FoundRow {
  const [keys, values] = row as [string[], unknown[]]
  return { row, at: 2, properties: { keys, values, columns: null } }
}
