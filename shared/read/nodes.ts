import { asStored } from '../../packet/cypher/as-stored.ts'
import { quote } from '../../packet/cypher/identifiers.ts'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import { readProperties, readValues, type Source } from '../origin/properties.ts'
import type { NodeKeys } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { withoutDeleted } from './deleted.ts'
import { bindLabels, identifyingKeys, keysOfEnds, labelsAndValues } from './identifying-values.ts'
import { byId, eachNode, type InternalId, readInternalId } from './internal-ids.ts'
import { elementsOf, type Found, type Reading, type RowQuery, readRows, rowsAtOnce, withoutThese } from './reading.ts'
import { eachSelected } from './selection.ts'
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
  return nodesOf(reading, match, { values }, { count: values.length, atMost })
}

/**
 * Reads these nodes; leaves out nodes that no longer exist, or are no longer selected.
 * @returns null if they turn out to be more than may be read at once.
 */
export function readNodes(reading: Reading, nodes: readonly InternalId[]): Promise<Found<NodeRow> | null> {
  const { selectors, toLayer, targetFilter } = reading.plan
  const size = { count: nodes.length, isOne: nodes.length === 1 }
  if (selectors === null || toLayer.length > 0) return nodesOf(reading, eachNode, { ids: nodes }, size)
  const { text, parameters } = eachSelected(selectors, targetFilter)
  return nodesOf(reading, text, { ...parameters, ids: nodes }, size)
}

/** How many nodes may be read at once, given their known size. */
export const nodesAtOnce = (reading: Reading): number =>
  Math.min(reading.sizes.chunk, rowsAtOnce(reading, kindOf(reading.plan)))

const kindOf = ({ index, selectors, toLayer, publishesNodes }: Plan) =>
  JSON.stringify(['nodes', publishesNodes, toLayer.length > 0 ? toLayer : selectors ? ['selected'] : index.label])

/** Returns nodes in the order of their internal ids. */
async function nodesOf(
  reading: Reading,
  match: string,
  parameters: Record<string, unknown>,
  size: Pick<RowQuery, 'count' | 'isOne' | 'atMost'>,
): Promise<Found<NodeRow> | null> {
  const { origin, plan, shapes, labels } = reading
  const { identity, search, publishesNodes } = plan
  const fixed = search ? [...keysOfEnds, search.idField] : keysOfEnds
  const query = publishesNodes
    ? `${match} RETURN id(n), labels(n), properties(n)`
    : `${match} ${bindLabels(['n'], ['n'])} RETURN id(n), ${labelsAndValues('n', fixed)}`
  const all = { ...parameters, idProperties: identity.byLabel }
  const rows = await readRows(reading, { query, parameters: all, kind: kindOf(plan), ...size })
  if (rows === null) return null
  const found = elementsOf(reading, rows, kindOf(plan), (row, source): NodeRow => {
    const node = readInternalId(row)
    const ofNode = labels.nodes.read(row)
    const found = publishesNodes
      ? readProperties(row, shapes.nodes, source)
      : readValues(row, identifyingKeys(identity, fixed, ofNode), shapes.nodes, source)
    return { node, labels: ofNode, properties: found }
  })
  if (found === null) return null
  const gone = new Set<NodeRow>()
  for (const row of found.elements.filter(({ properties }) => properties.shape.lacksOffsets))
    if (!(await completeZones(origin, 'node', row.node, row, found.source, shapes.nodes))) gone.add(row)
  const elements = await withoutDeleted(reading, withoutThese(found.elements, gone))
  for (const row of elements) maskNode(reading, row)
  return { elements: elements.sort((a, b) => byId(a.node, b.node)), release: () => rows.release() }
}

/** Masks a node that was read. Call this once, when nothing asks any more how the origin has it. */
export function maskNode({ masker }: Pick<Reading, 'masker'>, row: NodeRow): void {
  if (masker) row.properties = masker.node(row.labels, row.properties)
}

/** The columns of a node at the end of a relationship, which `readEnd` reads. `bindLabels` comes before them. */
export const endColumns = (variable: string): string => `id(${variable}), ${labelsAndValues(variable, keysOfEnds)}`

export function readEnd({ labels, shapes, plan }: Reading, row: Cursor, source: Source): NodeRow {
  const node = readInternalId(row)
  const ofNode = labels.farEnds.read(row)
  const keys = identifyingKeys(plan.identity, keysOfEnds, ofNode)
  return { node, labels: ofNode, properties: readValues(row, keys, shapes.farEnds, source) }
}
