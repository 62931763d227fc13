import { quote } from '../../../packet/cypher/identifiers.ts'
import type { ConstraintSyntax, Uniqueness } from './constraints.ts'

export const indexListing = (syntax: ConstraintSyntax): string =>
  syntax === 'described' ? 'CALL db.indexes()' : 'SHOW INDEXES'

/**
 * The statement that drops a listed index, if a uniqueness constraint cannot be created beside it: no server creates
 * one where a plain index is on the property alone. Null for any other index, such as one of texts or points.
 */
export function dropOf(row: Readonly<Record<string, unknown>>, { label, property }: Uniqueness): string | null {
  const { name, type, entityType = 'NODE', labelsOrTypes, tokenNames, label: only, properties } = row
  const labels = labelsOrTypes ?? tokenNames ?? [only]
  const isPlain = /^(RANGE|BTREE|node_label_property)$/.test(String(type)) && entityType === 'NODE'
  if (!isPlain || !isOnly(labels, label) || !isOnly(properties, property)) return null
  // Neo4j 3.4 and 3.5 do not name indexes.
  if (typeof name !== 'string') return `DROP INDEX ON :${quote(label)}(${quote(property)})`
  return `DROP INDEX ${/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)}`
}

const isOnly = (list: unknown, item: string) => Array.isArray(list) && list.length === 1 && list[0] === item
