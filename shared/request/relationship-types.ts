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
