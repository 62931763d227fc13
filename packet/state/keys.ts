import { type Identity, mergeText } from '../identity.ts'
import type { RelationshipType } from '../kinds/cleanup.ts'
import type { NodeKey } from '../kinds/statement.ts'
import type { Rendered } from '../values/values.ts'

/**
 * The keys of a state: texts that name what the pairs of a packet are about, one for each node, relationship and cleanup.
 * Two pairs about one thing have the same key, however their statements write its ids. Contract 4.23.
 */

/** An id that stands in a key for any id: no JSON has it. */
export const gap: Rendered = { json: '"\0"', wrap: null, list: false }

const integer = /^-?\d+$/

/** An id as a key has it: a string or an integer as JSON, and any other value by the text of what `MERGE` compares. */
export function idKey(id: Rendered): string {
  const text = mergeText(id)
  return text.startsWith('"') || integer.test(text) ? text : `{"merge":${JSON.stringify(text)}}`
}

/** Whether the key of an id is its JSON, so that nothing else need be known to write it. */
export const isPlain = (id: Rendered): boolean =>
  id.wrap === null && (id.json.startsWith('"') || integer.test(id.json)) && id.json === idKey(id)

const names = ({ label, idProperty }: NodeKey) => `${JSON.stringify(label)},${JSON.stringify(idProperty)}`

/** Makes keys of nodes: `["n","Airport","iata","JFK"]`. */
export function nodeKeys(node: NodeKey): (id: Rendered) => string {
  const before = `["n",${names(node)},`
  return (id) => `${before}${idKey(id)}]`
}

export const nodeKeyOf = (identity: Identity): string => nodeKeys(identity)(identity.id)

/** Makes keys of relationships: `["r","Airport","iata","JFK","ROUTE","Airport","iata","LHR"]`. Parallel ones share one. */
export function relationshipKeys(
  start: NodeKey,
  type: string,
  end: NodeKey,
): (startId: Rendered, endId: Rendered) => string {
  const [before, between] = [`["r",${names(start)},`, `,${JSON.stringify(type)},${names(end)},`]
  return (startId, endId) => `${before}${idKey(startId)}${between}${idKey(endId)}]`
}

/** What keys of nodes, or of cleanups, that differ only in an id have in common. */
export type KeyKind = NodeKey & Partial<RelationshipType>

/** Makes the keys of a kind. */
export const keysOfKind = ({ type, direction, ...node }: KeyKind): ((id: Rendered) => string) =>
  type === undefined || direction === undefined ? nodeKeys(node) : cleanupKeys(node, { type, direction })

/** Makes keys of cleanups: `["c","Airport","iata","JFK","ROUTE","out"]`. */
export function cleanupKeys(node: NodeKey, { type, direction }: RelationshipType): (id: Rendered) => string {
  const [before, after] = [`["c",${names(node)},`, `,${JSON.stringify(type)},"${direction}"]`]
  return (id) => `${before}${idKey(id)}${after}`
}
