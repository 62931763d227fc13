import { isQuotable, longestName } from '../../packet/cypher/identifiers.ts'
import type { RelationshipType } from '../../packet/kinds/cleanup.ts'

/**
 * Parses one entry of `toLayer` or `relationships`: `TYPE` in both directions, `TYPE>` outgoing, `<TYPE` incoming. A
 * name in backticks is taken literally. Contract 4.5. @returns null if the entry names no valid type.
 */
export function parseRelationshipType(text: string): RelationshipType | null {
  // The longest entry has a doubled backtick for every character, two enclosing backticks and two angle brackets.
  if (text.length > 2 * longestName + 4) return null
  const quoted = /^(<?)`((?:[^`]|``)+)`(>?)$/s.exec(text)
  const [, left, name, right] = quoted ?? /^(<?)(.*?)(>?)$/s.exec(text) ?? []
  const type = quoted ? name?.replaceAll('``', '`') : name
  if (!type || !isQuotable(type) || (left && right)) return null
  return { type, direction: left ? 'in' : right ? 'out' : 'both' }
}

/** Every type that the origin has, followed in one direction or both. It is known once the origin is read. */
export interface EveryType {
  every: true
  direction: RelationshipType['direction']
}

const directionsOfEvery = new Map<string, EveryType['direction']>([
  ['*', 'both'],
  ['*>', 'out'],
  ['<*', 'in'],
])

/**
 * Parses an entry of `relationships` that stands for every type: `*`, `*>` or `<*`. Contract 4.8. @returns null for any
 * other entry; a type named `*` stands in backticks.
 */
export function parseEveryType(text: string): EveryType | null {
  const direction = directionsOfEvery.get(text)
  return direction === undefined ? null : { every: true, direction }
}

/** The types of `relationships`, as a request names them, and how every type of the origin is followed, if it is. */
export function dividedTypes(given: readonly (RelationshipType | EveryType)[]): {
  named: readonly RelationshipType[]
  every: EveryType['direction'] | null
} {
  const every = given.filter((one): one is EveryType => 'every' in one)
  const [first] = every
  // A multi may have millions of types: the list of a request without `*` is not copied.
  if (first === undefined) return { named: mergeRelationshipTypes(given as readonly RelationshipType[]), every: null }
  const named = given.filter((one): one is RelationshipType => !('every' in one))
  const isOne = every.every(({ direction }) => direction === first.direction)
  return { named: mergeRelationshipTypes(named), every: isOne ? first.direction : 'both' }
}

/** Each type once, in the order first named: `A>` together with `<A` or `A` becomes `A`. */
export function mergeRelationshipTypes(types: readonly RelationshipType[]): readonly RelationshipType[] {
  const merged = new Map<string, RelationshipType>()
  for (const given of types) {
    const known = merged.get(given.type)
    if (known === undefined) merged.set(given.type, given)
    else if (known.direction !== given.direction) merged.set(given.type, { type: given.type, direction: 'both' })
  }
  // A multi may have millions of types: the list of a request that repeats none is not copied.
  return merged.size === types.length ? types : [...merged.values()]
}
