import type { Origin } from '../../origin/connect.ts'
import type { Row } from '../../origin/results.ts'
import type { Plan } from '../request/plan.ts'
import { type Columns, columnsOf, comparable, expressionsOf, type Properties, propertiesOf } from './columns.ts'
import { eachNode, eachRelationship, type InternalId, internalId } from './internal-ids.ts'
import { createUsualLabels } from './label-cache.ts'

/** What reads of one origin have learned from those before, so that they cost less. */
export interface Learned {
  known: KnownColumns
  usualLabels: ReturnType<typeof createUsualLabels>
  /** Types and directions whose relationships at the nodes before were more than may be read at once. */
  counted: Set<string>
}

export const nothingLearned = (): Learned => ({
  known: new Map(),
  usualLabels: createUsualLabels(),
  counted: new Set(),
})

/** What reads need to know. */
export interface Reading extends Learned {
  origin: Origin
  plan: Plan
}

/** Rows to be read, each with all properties of one element. */
export interface Wanted {
  /** A pattern that binds `variable`. */
  match: string
  variable: 'n' | 'r'
  /** What else to return; the first is the variable's `internalId`. */
  head: readonly string[]
  parameters: Record<string, unknown>
  /** Names elements that probably have the same keys. */
  kind: string
  /** Keys whose values are needed as such. */
  asValues: readonly string[]
  /** How many there are at most, where that is known. */
  count?: number
  /** It is one element: it is read however large it is. */
  isOne?: boolean
}

export interface FoundRow {
  row: Row
  /** Where the head begins; before it stand the properties, whose values the row itself is. */
  at: number
  properties: Properties
}

interface Known {
  columns: Columns | null
  rows: number
  odd: number
  /** What a row takes in memory, roughly. */
  rowBytes: number
}

/** The columns known of each kind of elements of one origin. */
export type KnownColumns = Map<string, Known>

const nameOf = ({ variable, kind, asValues }: Pick<Wanted, 'variable' | 'kind' | 'asValues'>) =>
  JSON.stringify([variable, kind, asValues])

// What rows that are read at once are to take in memory. Those of two requests may be there: one is written, one read ahead.
const bytesAtOnce = 16 * 1024 * 1024
/** Where they turn out to be larger than was known they are given up, and fewer are read. */
const mostBytes = 24 * 1024 * 1024

/** So many rows of a kind may be read at once, by what is known of their size. */
export function rowsAtOnce(known: KnownColumns, wanted: Parameters<typeof nameOf>[0]): number {
  const rowBytes = known.get(nameOf(wanted))?.rowBytes ?? 0
  return Math.max(1, Math.floor(bytesAtOnce / Math.max(1, rowBytes)))
}

// So many rows tell the columns, and so few whether so many fit; if there are not as many, they are all.
const sampleRows = 50
const glanceRows = 4

/** Rows that do not fit the columns are read twice: of so many in a hundred the columns must learn, of more there should be none. */
const [learnFrom, giveUpFrom] = [5, 25]

export const listsOf = (variable: string) => [`keys(${variable})`, `[k IN keys(${variable}) | ${variable}[k]]`]

/**
 * Reads all these rows: as columns once it is known which, else as lists of keys and values, which is three times the
 * work. What does not fit the columns is read again as lists, so that the result is the same either way.
 * @returns null where they are more than may be read at once: then it is known how many may.
 */
export async function readProperties(origin: Origin, known: KnownColumns, wanted: Wanted): Promise<FoundRow[] | null> {
  const { match, variable, head, parameters, asValues, count = 0, isOne = false } = wanted
  const most = isOne ? Number.POSITIVE_INFINITY : mostBytes
  const asLists = `${match} RETURN [${[...listsOf(variable), ...head].join(', ')}]`
  let entry = known.get(nameOf(wanted))
  if (!entry) {
    const read = (rows: number) => origin.rowsWithin(most, `${asLists} LIMIT ${rows}`, parameters)
    const glance = await read(glanceRows)
    if (glance.rows && glance.rows.length < glanceRows) return glance.rows.map(fromLists)
    const isLarge = sizeOf(glance) * sampleRows > bytesAtOnce
    const sample = isLarge ? glance : await read(sampleRows)
    const found = sample.rows?.map(fromLists) ?? null
    if (!isLarge && found && found.length < sampleRows) return found
    const properties = found?.map((one) => one.properties)
    const columns = isLarge || origin.legacy || !properties ? null : columnsOf(properties, asValues, null)
    entry = { columns, rows: 0, odd: 0, rowBytes: sizeOf(sample) }
    known.set(nameOf(wanted), entry)
  }
  if (count > rowsAtOnce(known, wanted)) return null
  const { columns } = entry
  if (columns === null) {
    const read = await origin.rowsWithin(most, asLists, parameters)
    learnSize(entry, read)
    return read.rows?.map(fromLists) ?? null
  }
  // As a map they are walked through once, and not once for each column: a quarter less work for the origin.
  const asMap = `WITH *, properties(${variable}) AS p`
  const expressions = [...expressionsOf(columns, 'p'), ...head].join(', ')
  const at = columns.keys.length + 1
  const read = await origin.rowsWithin(most, `${match} ${asMap} RETURN [${expressions}]`, {
    ...parameters,
    ...comparable,
  })
  learnSize(entry, read)
  const { rows } = read
  if (rows === null) return null
  const found: (FoundRow | null)[] = rows.map((row) => {
    const properties = propertiesOf(columns, row)
    return properties && { row, at, properties }
  })
  const odd = rows.filter((_, index) => found[index] === null)
  entry.rows += rows.length
  entry.odd += odd.length
  if (odd.length === 0) return found as FoundRow[]
  const again = await readAgain(
    origin,
    variable,
    odd.map((row) => row[at] as InternalId),
    most,
  )
  if (again.found === null) {
    learnSize(entry, { rows: null, rowBytes: again.rowBytes })
    return null
  }
  const { found: whole } = again
  if (odd.length * 100 >= rows.length * learnFrom) entry.columns = columnsOf([...whole.values()], asValues, columns)
  if (entry.odd * 100 >= entry.rows * giveUpFrom && entry.rows > 1_000) entry.columns = null
  return found.flatMap((one, index) => {
    const row = rows[index] as Row
    const properties = one?.properties ?? whole.get(row[at] as InternalId)
    return properties ? [{ row, at, properties }] : []
  })
}

type Read = Awaited<ReturnType<Origin['rowsWithin']>>

const sizeOf = ({ rowBytes }: Pick<Read, 'rowBytes'>) => 500 + rowBytes

/** Large elements among small ones make for small reads for a while only: each that is whole allows for one twice the size. */
function learnSize(entry: Known, read: Read) {
  entry.rowBytes = Math.max(sizeOf(read), read.rows === null ? entry.rowBytes : entry.rowBytes / 2)
}

/** All properties of these nodes or relationships as they are; one that is gone by now is left out. */
async function readAgain(origin: Origin, variable: 'n' | 'r', ids: readonly InternalId[], most: number) {
  const match = variable === 'n' ? eachNode : eachRelationship
  const query = `${match} RETURN [${[...listsOf(variable), internalId(variable)].join(', ')}]`
  const { rows, rowBytes } = await origin.rowsWithin(most, query, { ids })
  const found = rows && new Map(rows.map((row) => [row[2] as InternalId, fromLists(row).properties]))
  return { found, rowBytes }
}

/** The same properties as values, read again if need be; null where they are gone by now. */
export async function asValues(
  origin: Origin,
  variable: 'n' | 'r',
  id: InternalId,
  properties: Properties,
): Promise<Properties | null> {
  return properties.columns === null ? properties : allProperties(origin, variable, id)
}

/** All properties of a node or relationship as values; null where it is gone by now. */
export async function allProperties(origin: Origin, variable: 'n' | 'r', id: InternalId): Promise<Properties | null> {
  const { found } = await readAgain(origin, variable, [id], Number.POSITIVE_INFINITY)
  return found?.get(id) ?? null
}

/** A row that begins with the two lists. */
export function fromLists(row: Row): FoundRow {
  const [keys, values] = row as [string[], unknown[]]
  return { row, at: 2, properties: { keys, values, columns: null } }
}
