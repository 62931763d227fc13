import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { Identity } from '../../../packet/identity.ts'
import type { NodeChanges } from '../../../packet/kinds/node-upsert.ts'
import { pairOf, type WrittenPair } from '../../../packet/pair.ts'
import type { Ends, PairMaker, PropertyField } from '../../../packet/pair-maker.ts'
import type { Numbers } from '../../../packet/values/values.ts'
import { referenceOf } from '../values/reference.ts'

/** Upserts made from values, as a reference for those that are made from bytes. */

/** The fields of those values that can be published, in the order of statements. */
export function fieldsOf(values: ReadonlyMap<string, unknown>, numbers: Numbers = 'plain'): PropertyField[] {
  const fields = [...values].flatMap(([key, value]) => {
    const rendered = isQuotable(key) ? referenceOf(value, numbers) : null
    return rendered ? [{ key, value: rendered }] : []
  })
  return fields.sort((a, b) => byCodePoint(a.key, b.key))
}

const jsonOf = (fields: readonly PropertyField[], property: string): string =>
  (fields.find(({ key }) => key === property) as PropertyField).value.json

export function nodeUpsertOf(
  pairs: PairMaker,
  identity: Identity,
  fields: readonly PropertyField[],
  changes: NodeChanges,
): WrittenPair {
  return pairOf(pairs.nodeUpsertShape(identity, fields, changes), (source) =>
    typeof source === 'string' ? identity.id.json : jsonOf(fields, source.property),
  )
}

export function relationshipUpsertOf(
  pairs: PairMaker,
  ends: Ends,
  fields: readonly PropertyField[],
  protectedKeys: readonly string[],
  idField: string | null,
): WrittenPair {
  return pairOf(pairs.relationshipUpsertShape(ends, fields, protectedKeys, idField), (source) => {
    if (typeof source !== 'string') return jsonOf(fields, source.property)
    return (source === 'startId' ? ends.start : ends.end).id.json
  })
}
