import { quote } from '../cypher/identifiers.ts'
import type { Origin } from '../origin/connect.ts'
import { type Properties, propertyOf } from './columns.ts'
import type { NodeKeys } from './identity.ts'
import type { Plan } from './plan.ts'
import { type Reading, readProperties, rowsAtOnce } from './read-properties.ts'
import { asInteger, eachNode, type InternalId } from './reads.ts'
import { completeZones } from './zones.ts'

export interface NodeRow {
  node: InternalId
  keys: NodeKeys
  properties: Properties
}

/**
 * Nodes of a label whose id property is among `values`, with all that is published of them.
 * @returns null where they are more than `atMost`, or than may be read at once.
 */
export async function readNodesByIds(
  work: Reading,
  values: readonly unknown[],
  atMost: number,
): Promise<NodeRow[] | null> {
  const { label, idProperty } = work.plan.index
  const match = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN $values WITH n LIMIT ${atMost + 1}`
  const rows = await nodesOf(work, match, { values }, values.length)
  return rows === null || rows.length > atMost ? null : rows
}

/**
 * These nodes with all that is published of them; one that is gone by now is left out.
 * @returns null where they turn out to be more than may be read at once.
 */
export const readNodes = (work: Reading, nodes: readonly InternalId[]): Promise<NodeRow[] | null> =>
  nodesOf(work, eachNode, { nodes: nodes.map(asInteger) }, nodes.length)

/** So many nodes may be read at once, by what is known of their size. */
export const nodesAtOnce = ({ plan, known }: Reading): number => rowsAtOnce(known, kindOf(plan))

function kindOf({ identity, index, search, toLayer }: Plan) {
  const asValues = [...new Set(['index', ...identity.columns, ...(search ? [search.idField] : [])])]
  return { variable: 'n' as const, kind: JSON.stringify(toLayer.length > 0 ? toLayer : index.label), asValues }
}

/** In the order of their internal ids. */
async function nodesOf(
  { origin, plan, known }: Reading,
  match: string,
  parameters: Record<string, unknown>,
  count: number,
): Promise<NodeRow[] | null> {
  const { identity: rule } = plan
  const head = ['id(n)', 'labels(n)']
  const kind = kindOf(plan)
  const found = plan.publishesNodes
    ? await readProperties(origin, known, { match, head, parameters, count, ...kind })
    : await readKeys(origin, match, head, parameters, kind.asValues)
  if (found === null) return null
  const rows: NodeRow[] = []
  let labels: readonly string[] = []
  for (const { head, properties } of found) {
    const node = Number(head[0])
    if (origin.legacy) await completeZones(origin, 'node', node, properties)
    // Equal labels are one list, which is told apart from others at a glance.
    if (!isSame(labels, head[1] as string[])) labels = head[1] as string[]
    const ids = rule.columns.map((key) => propertyOf(properties, key))
    rows.push({ node, keys: { labels, index: propertyOf(properties, 'index'), ids }, properties })
  }
  return rows.sort((a, b) => a.node - b.node)
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index])

/** No more than these properties of each node. */
async function readKeys(
  origin: Origin,
  match: string,
  head: readonly string[],
  parameters: Record<string, unknown>,
  keys: readonly string[],
) {
  const expressions = [...head, ...keys.map((key) => `n.${quote(key)}`)]
  const rows = await origin.rows(`${match} RETURN [${expressions.join(', ')}]`, parameters)
  return rows.map((row) => ({ head: row, properties: { keys, values: row.slice(head.length), columns: null } }))
}
