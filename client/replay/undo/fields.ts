import { byCodePoint, isQuotable } from '../../../shared/packet/cypher/identifiers.ts'
import type { Identity } from '../../../shared/packet/identity.ts'
import type { NodeChanges } from '../../../shared/packet/kinds/node-upsert.ts'
import type { PropertySource } from '../../../shared/packet/kinds/statement.ts'
import { pairOf, type WrittenPair } from '../../../shared/packet/pair.ts'
import type { Ends, PairMaker, PropertyField } from '../../../shared/packet/pair-maker.ts'
import { renderValue, typeName } from '../../../shared/packet/values/render-value.ts'

/**
 * Turns properties, as the driver reads them, into fields of a statement, ordered by key.
 * @returns the fields, or a description of the first key or value that cannot be rendered.
 */
export function fieldsOf({
  keys,
  values,
}: Record<'keys' | 'values', readonly unknown[]>): PropertyField[] | { problem: string } {
  const fields: PropertyField[] = []
  for (const [index, key] of (keys as readonly string[]).entries()) {
    const value = values[index]
    if (!isQuotable(key)) return { problem: `has a property key ${JSON.stringify(key)} that no statement can name` }
    const rendered = renderValue(value)
    if (rendered === null) return { problem: `has a ${typeName(value)} as its property "${key}"` }
    fields.push({ key, value: rendered })
  }
  return fields.sort((a, b) => byCodePoint(a.key, b.key))
}

/** Whether a value is NaN, or a list that contains it: no pattern finds an element by this value. */
export const equalsNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(Number.isNaN) : Number.isNaN(value)

export function nodeUpsertPair(
  pairs: PairMaker,
  identity: Identity,
  fields: readonly PropertyField[],
  changes: NodeChanges,
): WrittenPair {
  const jsonOf = valuesOf(fields)
  const shape = pairs.nodeUpsertShape(identity, fields, changes)
  return pairOf(shape, (source) => (source === 'id' ? identity.id.json : jsonOf(source)))
}

export function relationshipUpsertPair(
  pairs: PairMaker,
  ends: Ends,
  fields: readonly PropertyField[],
  idField: string | null,
): WrittenPair {
  const jsonOf = valuesOf(fields)
  const { startId, endId } = { startId: ends.start.id.json, endId: ends.end.id.json }
  return pairOf(pairs.relationshipUpsertShape(ends, fields, [], idField), (source) =>
    source === 'startId' ? startId : source === 'endId' ? endId : jsonOf(source),
  )
}

/** Finds the value of each property, as JSON. */
function valuesOf(fields: readonly PropertyField[]): (source: PropertySource) => string {
  const values = new Map(fields.map(({ key, value }) => [key, value.json]))
  return ({ property }) => values.get(property) as string
}
