import { requestText } from '../../packet/identity.ts'
import { isPublishable, type Kind } from '../../packet/packstream/kinds.ts'
import * as errors from '../errors/catalogue.ts'
import type { Properties } from '../origin/properties.ts'
import { idForms } from '../request/id-forms.ts'
import { collectIds, type IdList } from './internal-ids.ts'
import { type NodeRow, readNodesByIds } from './nodes.ts'
import { findByIds, followLayers, hasAny } from './queries.ts'
import type { Found, Reading } from './reading.ts'

/** The targeted nodes of a request. */
export interface Targets {
  nodes: IdList
  /** Their rows, if these were read when the nodes were found; else null. */
  rows: Found<NodeRow> | null
  /** Origin ids that the origin does not have. */
  missing: readonly string[]
}

/**
 * Finds the targeted nodes of a request: its origin ids, or what `toLayer` reaches from them. Contract 4.3, 4.4, 4.6,
 * 4.8.
 * @throws nothingThere (422) when none of the ids exists and the origin has no node with this label and id property: a
 * mistyped `index` must not cause deletions.
 */
export async function findTargets(reading: Reading): Promise<Targets> {
  const { origin, plan, sizes } = reading
  const missing = new Set(plan.originIds)
  const { size } = missing
  const values = [...missing].flatMap(idForms)
  const isLayered = plan.toLayer.length > 0
  const rows = isLayered ? null : await readNodesByIds(reading, values, sizes.chunk)
  // An origin may send ids that were not requested.
  const find = (id: string | null) => id !== null && missing.delete(id)
  for (const { properties } of rows?.elements ?? []) find(textOf(properties, plan.index.idProperty))
  const passes = ({ labels }: NodeRow) => plan.targetFilter === null || labels.includes(plan.targetFilter)
  const kept = rows && { ...rows, elements: rows.elements.filter(passes) }
  const nodes = collectIds()
  for (const { node } of kept?.elements ?? []) nodes.add(node)
  if (rows === null) {
    await findByIds(reading, values, isLayered ? null : plan.targetFilter, (node, id, isTargeted) => {
      find(id)
      if (isTargeted) nodes.add(node)
    })
  }
  if (missing.size === size && !(await hasAny(origin, plan.index))) {
    throw errors.nothingThere(plan.index.label, plan.index.idProperty)
  }
  const listed = nodes.list()
  if (!isLayered) return { nodes: listed, rows: kept, missing: [...missing] }
  const reached = await followLayers(origin, listed.slice(0, listed.length), plan.toLayer, plan.targetFilter)
  return { nodes: reached, rows: null, missing: [...missing] }
}

/** The text by which a request names an id; null if the id has changed to one that no request can name. */
function textOf(properties: Properties, key: string): string | null {
  const text = properties.text(key)
  if (text !== null) return text
  const index = properties.shape.indexOf(key)
  const isNamed = index !== -1 && isPublishable(properties.shape.kinds[index] as Kind)
  return isNamed ? requestText(properties.rendered(index, 'plain')) : null
}
