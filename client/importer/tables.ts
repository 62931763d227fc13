import { NotCarried } from './not-carried.ts'

/** What a table holds, which begins the names of its files. */
export type Elements = 'nodes' | 'relationships'

const firstColumns: Record<Elements, string> = { nodes: ':ID,:LABEL', relationships: ':START_ID,:END_ID,:TYPE' }

/** A CSV file, whose header gives each property one type. */
export interface Table {
  elements: Elements
  /** Counts from 0, over all tables. */
  index: number
  /** The properties in the order of their columns, each with its position and type. */
  columns: Map<string, { at: number; type: string }>
}

/** Where the values of alike elements go: for each column of the table, the position of a value; -1 if there is none. */
export interface Layout {
  table: Table
  values: readonly number[]
  /** The type of each value; null if it is missing. */
  types: readonly (string | null)[]
}

/** Tables: each is a file that the importer opens. Beyond this limit a packet is not converted. */
const mostTables = 1_000
/** Properties of a table, unless one element has more: a row has a comma for each that it lacks. */
const usualColumns = 100

/**
 * Divides elements into tables: one header cannot hold a property as `long` and as `string`. Elements with different
 * properties share a table where their types agree.
 */
export function createTables() {
  const tables: Table[] = []

  function tableFor(elements: Elements, typed: readonly (readonly [name: string, type: string])[]): Table {
    const found = tables.find((table) => table.elements === elements && fits(table, typed))
    if (found) return found
    if (tables.length === mostTables)
      throw new NotCarried(`more than ${mostTables} files, because properties have so many names or types`)
    const table = { elements, index: tables.length, columns: new Map() }
    tables.push(table)
    return table
  }

  return {
    all: tables as readonly Table[],

    /** @param types of the values under these names; null for a missing one. @throws NotCarried */
    layoutOf(elements: Elements, names: readonly string[], types: readonly (string | null)[]): Layout {
      const typed = names.flatMap((name, at) => {
        const type = types[at]
        return type ? [[name, type] as const] : []
      })
      const table = tableFor(elements, typed)
      for (const [name, type] of typed) {
        if (!table.columns.has(name)) table.columns.set(name, { at: table.columns.size, type })
      }
      const values: number[] = []
      for (const [name] of typed) values[table.columns.get(name)?.at as number] = names.indexOf(name)
      return { table, values: Array.from(values, (at) => at ?? -1), types }
    },
  }
}

export type Tables = ReturnType<typeof createTables>

function fits({ columns }: Table, typed: readonly (readonly [name: string, type: string])[]): boolean {
  let more = 0
  for (const [name, type] of typed) {
    const column = columns.get(name)
    if (column === undefined) more++
    else if (column.type !== type) return false
  }
  return more === 0 || columns.size + more <= usualColumns || columns.size === 0
}

/** The importer cuts a name at these characters, and says nothing. */
const cutting = /[({]/

/** @throws NotCarried if a header cannot name this property */
export function requireName(name: string): void {
  if (cutting.test(name)) throw new NotCarried('a name with ( or {, at which the importer cuts it off')
}

export const headerOf = ({ elements, columns }: Table): string =>
  [firstColumns[elements], ...[...columns].map(([name, { type }]) => `"${name.replaceAll('"', '""')}:${type}"`)].join()

/** The cells of a row after the first columns, in the order of the layout. */
export function rowOf({ values, types }: Layout, cell: (at: number, type: string) => string): string {
  let row = ''
  for (const at of values) row += at === -1 ? ',' : `,${cell(at, types[at] as string)}`
  return row
}

/** Splits a row into its cells, as they are written. */
export function cellsIn(row: string): string[] {
  const cells: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"') isQuoted = !isQuoted
    if (row[at] !== ',' || isQuoted) continue
    cells.push(row.slice(start, at))
    start = at + 1
  }
  return [...cells, row.slice(start)]
}

const firstCells: Record<Elements, number> = { nodes: 2, relationships: 3 }

/** A row of a table as a text that does not depend on its table: its first cells, and each property with its type. */
export function contentOf(row: string, { elements, columns }: Table): string {
  const cells = cellsIn(row)
  const first = cells.splice(0, firstCells[elements])
  const properties = [...columns].flatMap(([name, { at, type }]) => (cells[at] ? [[name, type, cells[at]]] : []))
  return JSON.stringify([first, properties.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1))])
}
