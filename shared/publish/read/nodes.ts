import { readProperties, type Source } from '../../origin/properties.ts'
import { asStored } from '../../packet/cypher/as-stored.ts'
import { quote } from '../../packet/cypher/identifiers.ts'
import type { Cursor } from '../../packstream/cursor.ts'
import type { NodeKeys } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { withoutDeleted } from './deleted.ts'
import { byId, eachNode, type InternalId, readInternalId } from './internal-ids.ts'
import { elementsOf, type Found, type Learned, type Reading, readRows, rowsAtOnce } from './reading.ts'
import { completeZones } from './zone-offsets.ts'

/** A node with all the properties to publish, or only with the properties that identify it. */
export interface NodeRow extends NodeKeys {
  node: InternalId
}

/**
 * Reads the nodes of a label whose id property is among `values`.
 * @returns null if there are more than `atMost`, or more than may be read at once.
 */
export async function readNodesByIds(
  reading: Reading,
  values: readonly unknown[],
  atMost: number,
): Promise<Found<NodeRow> | null> {
  const { label, idProperty } = reading.plan.index
  const found = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN $values`
  const match = `${found} WITH ${asStored('n')} AS n LIMIT ${atMost + 1}`
  const nodes = await nodesOf(reading, match, { values }, { count: values.length })
  if (nodes === null || nodes.elements.length <= atMost) return nodes
  nodes.release()
  return null
}

/**
 * Reads these nodes; leaves out nodes that no longer exist.
 * @returns null if they turn out to be more than may be read at once.
 */
export const readNodes = (reading: Reading, nodes: readonly InternalId[]): Promise<Found<NodeRow> | null> =>
  nodesOf(reading, eachNode, { ids: nodes }, { count: nodes.length, isOne: nodes.length === 1 })

/** How many nodes may be read at once, given their known size. */
export const nodesAtOnce = (reading: Reading): number =>
  Math.min(reading.sizes.chunk, rowsAtOnce(reading, kindOf(reading.plan)))

const kindOf = ({ index, toLayer, publishesNodes }: Plan) =>
  JSON.stringify(['nodes', publishesNodes, toLayer.length > 0 ? toLayer : index.label])

/** Returns nodes in the order of their internal ids. */
async function nodesOf(
  reading: Reading,
  match: string,
  parameters: Record<string, unknown>,
  size: { count: number; isOne?: boolean },
): Promise<Found<NodeRow> | null> {
  const { origin, plan, shapes, labels } = reading
  const { identity, search, publishesNodes } = plan
  const properties = publishesNodes
    ? 'properties(n)'
    : keysOf('n', [...identity.columns, ...(search ? [search.idField] : [])])
  const query = `${match} RETURN id(n), labels(n), ${properties}`
  const rows = await readRows(reading, { query, parameters, kind: kindOf(plan), ...size })
  if (rows === null) return null
  const found = elementsOf(reading, rows, kindOf(plan), (row, source): NodeRow => {
    const node = readInternalId(row)
    return { node, labels: labels.nodes.read(row), properties: readProperties(row, shapes.nodes, source) }
  })
  if (found === null) return null
  for (const row of found.elements.filter(({ properties }) => properties.shape.lacksOffsets))
    await completeZones(origin, 'node', row.node, row, found.source, shapes.nodes)
  const elements = await withoutDeleted(reading, found.elements, (row) => [row])
  return { elements: elements.sort((a, b) => byId(a.node, b.node)), release: () => rows.release() }
}

/** The expression that returns, as a map, the properties by which a node is identified. */
const keysOf = (variable: string, keys: readonly string[]): string =>
  `${variable}{${[...new Set(['index', ...keys])].map((key) => `.${quote(key)}`).join(', ')}}`

/** The columns of a node at the end of a relationship, which `readEnd` reads. */
export const endColumns = (variable: string, { identity }: Plan): string =>
  `id(${variable}), labels(${variable}), ${keysOf(variable, identity.columns)}`

export const readEnd = ({ labels, shapes }: Learned, row: Cursor, source: Source): NodeRow => ({
  node: readInternalId(row),
  labels: labels.farEnds.read(row),
  properties: readProperties(row, shapes.farEnds, source),
})
