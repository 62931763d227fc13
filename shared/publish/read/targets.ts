import { renderValue } from '../../cypher/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { idForms } from '../request/id-forms.ts'
import { requestText } from '../request/identity.ts'
import { propertyOf } from './columns.ts'
import { type IdList, type InternalId, listIds } from './internal-ids.ts'
import { type NodeRow, readNodesByIds } from './nodes.ts'
import type { Reading } from './properties.ts'
import { findByIds, followLayers, hasAny } from './queries.ts'

/** The targeted nodes of a request. */
export interface Targets {
  nodes: IdList
  /** Their rows, if these were read when the nodes were found; else null. */
  rows: NodeRow[] | null
  /** Origin ids that the origin does not have. */
  missing: readonly string[]
}

/**
 * Finds the targeted nodes of a request: its origin ids, or what `toLayer` reaches from them. Contract 4.3, 4.4, 4.6,
 * 4.8.
 * @throws nothingThere (422) when not one id exists and the origin has no such nodes: a mistyped `index` must not
 * become deletions.
 */
export async function findTargets(reading: Reading): Promise<Targets> {
  const { origin, plan, sizes } = reading
  const originIds = [...new Set(plan.originIds)]
  const values = originIds.map(idForms).flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const isLayered = plan.toLayer.length > 0
  const rows = isLayered ? null : await readNodesByIds(reading, values, sizes.chunk)
  const found = new Set(rows?.map(({ properties }) => textOf(propertyOf(properties, plan.index.idProperty))))
  const kept = rows?.filter(({ keys }) => plan.targetFilter === null || keys.labels.includes(plan.targetFilter)) ?? null
  const nodes: InternalId[] = kept?.map(({ node }) => node) ?? []
  if (rows === null) {
    await findByIds(origin, plan.index, values, isLayered ? null : plan.targetFilter, (node, id, passes) => {
      found.add(textOf(id))
      if (passes) nodes.push(node)
    })
  }
  if (found.size === 0 && !(await hasAny(origin, plan.index))) {
    throw errors.nothingThere(plan.index.label, plan.index.idProperty)
  }
  const missing = originIds.filter((id) => !found.has(id))
  if (!isLayered) return { nodes: listIds(nodes), rows: kept, missing }
  return { nodes: await followLayers(origin, nodes, plan.toLayer, plan.targetFilter), rows: null, missing }
}

/** The text by which a request names an id; null if the id has changed to one that no request can name. */
function textOf(id: unknown): string | null {
  const rendered = renderValue(id)
  return rendered && requestText(rendered)
}
