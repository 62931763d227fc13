import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import { type Identity, idText, mergeText } from '../../../packet/identity.ts'
import type { NodeChanges } from '../../../packet/kinds/node-upsert.ts'
import type { IdentifiedNode, PropertySource } from '../../../packet/kinds/statement.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import { pairOf, type WrittenPair } from '../../../packet/pair.ts'
import type { Ends, PairMaker, PropertyField } from '../../../packet/pair-maker.ts'
import { renderValue, typeName } from '../../../packet/values/render-value.ts'
import { ReplayError } from '../errors.ts'

/** The identity of a node that a pair names by this value of a parameter. */
export const identityBy = ({ label, idProperty, id }: IdentifiedNode, value: unknown): Identity => ({
  label,
  idProperty,
  // Most ids are strings, for which this is much faster.
  id: { ...id, json: typeof value === 'string' ? JSON.stringify(value) : stringifyLossless(value) },
})

/** A text that is the same for identities that `MERGE` treats as equal. */
export const identityText = ({ label, idProperty, id }: Identity): string =>
  [label, idProperty, mergeText(id)].join('\u0000')

/** The same for relationships of a type between two identities. */
export const endsText = ({ start, type, end }: Ends): string =>
  [identityText(start), type, identityText(end)].join('\u0001')

/** `:Person p1` */
export const describeIdentity = ({ label, id }: Identity): string => `:${label} ${idText(id).slice(0, 60)}`

/** Why a replay with an undo does not begin. */
export const irreversible = (element: string, problem: string): ReplayError =>
  new ReplayError('refused', `${element} ${problem}: an undo could not restore it; nothing was replayed`)

/** An element's properties, as the driver reads them. */
export interface Properties {
  keys: readonly string[]
  values: unknown[]
}

/**
 * Turns properties into fields of a statement, ordered by key.
 * @throws ReplayError `refused` for the first key or value that cannot be rendered; `about` is the element
 */
export function fieldsOf({ keys, values }: Properties, about: string): PropertyField[] {
  const fields = keys.map((key, index) => {
    if (!isQuotable(key))
      throw irreversible(about, `has a property key ${JSON.stringify(key)} that no statement can name`)
    const value = renderValue(values[index])
    if (value === null) throw irreversible(about, `has a ${typeName(values[index])} as its property "${key}"`)
    return { key, value }
  })
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
  return pairOf(pairs.relationshipUpsertShape(ends, fields, [], idField), (source) =>
    source === 'startId' ? ends.start.id.json : source === 'endId' ? ends.end.id.json : jsonOf(source),
  )
}

/** Finds the value of each property, as JSON. */
function valuesOf(fields: readonly PropertyField[]): (source: PropertySource) => string {
  const values = new Map(fields.map(({ key, value }) => [key, value.json]))
  return ({ property }) => values.get(property) as string
}
