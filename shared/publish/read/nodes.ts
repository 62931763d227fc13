import { asStored } from '../../cypher/as-stored.ts'
import { quote } from '../../cypher/identifiers.ts'
import type { Origin } from '../../origin/connect.ts'
import type { NodeKeys } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { type Properties, propertyOf } from './columns.ts'
import { byId, eachNode, type InternalId, internalId } from './internal-ids.ts'
import { type Reading, readProperties, rowsAtOnce } from './properties.ts'
import { completeZones } from './zone-offsets.ts'

export interface NodeRow {
  node: InternalId
  keys: NodeKeys
  properties: Properties
}

/**
 * Reads the nodes of a label whose id property is among `values`, with all that is published of them.
 * @returns null if they are more than `atMost`, or than may be read at once.
 */
export async function readNodesByIds(
  reading: Reading,
  values: readonly unknown[],
  atMost: number,
): Promise<NodeRow[] | null> {
  const { label, idProperty } = reading.plan.index
  const found = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN $values`
  const match = `${found} WITH ${asStored('n')} AS n LIMIT ${atMost + 1}`
  const rows = await nodesOf(reading, match, { values }, { count: values.length })
  return rows === null || rows.length > atMost ? null : rows
}

/**
 * Reads these nodes with all that is published of them; leaves out nodes that no longer exist.
 * @returns null if they turn out to be more than may be read at once.
 */
export const readNodes = (reading: Reading, nodes: readonly InternalId[]): Promise<NodeRow[] | null> =>
  nodesOf(reading, eachNode, { ids: nodes }, { count: nodes.length, isOne: nodes.length === 1 })

/** How many nodes may be read at once, given their known size. */
export const nodesAtOnce = ({ plan, known, sizes }: Reading): number =>
  Math.min(sizes.chunk, rowsAtOnce(known, kindOf(plan)))

function kindOf({ identity, index, search, toLayer }: Plan) {
  const valueKeys = [...new Set(['index', ...identity.columns, ...(search ? [search.idField] : [])])]
  return {
    variable: 'n' as const,
    bound: ['n'],
    kind: JSON.stringify(toLayer.length > 0 ? toLayer : index.label),
    valueKeys,
  }
}

/** Returns rows in the order of their internal ids. */
async function nodesOf(
  reading: Reading,
  match: string,
  given: Record<string, unknown>,
  size: { count: number; isOne?: boolean },
): Promise<NodeRow[] | null> {
  const { origin, plan, usualLabels } = reading
  const { identity: rule } = plan
  const labels = usualLabels.nodes.ask()
  const head = (n: string) => [internalId(n), labels.expressionFor(n)]
  const parameters = { ...given, ...labels.parameters }
  const kind = kindOf(plan)
  const found = plan.publishesNodes
    ? await readProperties(reading, { match, head, parameters, ...size, ...kind })
    : await readKeys(origin, match, head('n'), parameters, kind.valueKeys)
  if (found === null) return null
  const rows: NodeRow[] = []
  for (const { row, at, properties } of found) {
    const node = row[at] as InternalId
    if (origin.legacy) await completeZones(origin, 'node', node, properties)
    const keys = {
      labels: labels.read(row[at + 1]),
      index: propertyOf(properties, 'index'),
      ids: valuesOf(properties, rule.columns),
    }
    rows.push({ node, keys, properties })
  }
  return rows.sort((a, b) => byId(a.node, b.node))
}

const valuesOf = (properties: Properties, keys: readonly string[]) => keys.map((key) => propertyOf(properties, key))

/** Reads only these properties of each node. */
async function readKeys(
  origin: Origin,
  match: string,
  head: readonly string[],
  parameters: Record<string, unknown>,
  keys: readonly string[],
) {
  const expressions = [...keys.map((key) => `n.${quote(key)}`), ...head]
  const rows = await origin.rows(`${match} RETURN [${expressions.join(', ')}]`, parameters)
  return rows.map((row) => ({ row, at: keys.length, properties: { keys, values: row, columns: null } }))
}
