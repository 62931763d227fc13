import { asStored } from '../cypher/as-stored.ts'
import { type Template, template } from '../cypher/parameters.ts'
import { type Anchor, anchorPattern } from '../kinds/statement.ts'
import type { Evaluated } from './expectation.ts'
import type { Finding, Properties } from './finding.ts'

/** A query for each pair of a batch, and what its rows mean. */
export interface Check {
  /** For `overNumberedRows`. Returns `at` and the columns that `findings` takes. A pair may have no row. */
  query: Template
  /** The `values` that the query takes for a pair, in addition to the parameters that it names. */
  values?(parameters: Properties): unknown[]
  /** `subject` names what the pair is about; `earlier` is the number of rows of the same pair before this one. */
  findings(row: Row, subject: () => string, parameters: Properties, earlier: number): Finding[]
}

/** A row of a check; a column that its query does not return is absent. */
export interface Row extends Evaluated {
  actual: Properties | null
  labels: string[]
  count: bigint
  id: unknown
}

/** Reads a node or a relationship from the store. */
export const read = (variable: string) => `WITH at, row, ${asStored(variable)} AS ${variable}`

export const optional = (variable: string, node: Anchor, parameter: string): Template =>
  template`OPTIONAL MATCH ${anchorPattern(variable, node, parameter)}`

export const withValues = (variable: string) => `WITH at, $values[at] AS values, properties(${variable}) AS actual`

/** The properties that have one of the keys. */
export const only = (actual: Properties | null, keys: readonly string[]): Properties =>
  Object.fromEntries(keys.flatMap((key) => (actual && Object.hasOwn(actual, key) ? [[key, actual[key]]] : [])))
