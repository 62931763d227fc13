import * as errors from '../errors/catalogue.ts'
import type { DatabaseRow } from './database.ts'
import { DuplicateError } from './failures.ts'
import type { ModelRecord } from './records.ts'
import type { Resource } from './resources.ts'
import type { Selector } from './selector.ts'

/** Turns the rows of a statement, or its refusal by the database, into records and errors. */

export const takenKey = ({ noun }: Resource, key: unknown) =>
  `key: there is a ${noun} with the key "${key}" in this manager version`

/** @throws noSuchRecord (404) if there is no row */
export function only(selector: Selector, [row]: readonly DatabaseRow[]): DatabaseRow {
  if (row === undefined) throw errors.noSuchRecord(selector.description)
  return row
}

/** Converts rows of parts; a single row of nulls means that there are none. */
export function list(
  whole: Selector,
  rows: readonly DatabaseRow[],
  toRecord: (row: DatabaseRow) => ModelRecord,
): ModelRecord[] {
  return only(whole, rows)[0] === null ? [] : rows.map(toRecord)
}

/** Turns the refusal of a constraint into duplicateRecord (409). */
export const duplicateIs = (message: string) => (error: unknown) => {
  throw error instanceof DuplicateError ? errors.duplicateRecord(message) : error
}
