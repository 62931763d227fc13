import * as errors from '../errors/catalogue.ts'
import { idForms } from '../request/id-forms.ts'
import { askedText } from './asked-text.ts'
import { collectIds, type IdList, type InternalId, listIds, readInternalId } from './internal-ids.ts'
import { type NodeRow, readNodesByIds } from './nodes.ts'
import { findByIds, followLayers, hasAny } from './queries.ts'
import type { Found, Reading } from './reading.ts'
import { eachSelected } from './selection.ts'

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
  for (const { properties } of rows?.elements ?? []) find(askedText(properties, plan.index.idProperty))
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

/**
 * The targeted nodes of a request that selects nodes: `listed`, or what `toLayer` reaches from those that are still
 * selected. @param gone is called with the number of the others
 */
export async function targetsOfSelection(
  { origin, plan }: Pick<Reading, 'origin' | 'plan'>,
  listed: IdList,
  gone: (nodes: number) => void,
): Promise<Targets> {
  const { selectors, toLayer, targetFilter } = plan
  if (toLayer.length === 0) return { nodes: listed, rows: null, missing: [] }
  const { text, parameters } = eachSelected(selectors ?? [], null)
  const known = new Set<InternalId>()
  for (let at = 0; at < listed.length; at += sourcesAtOnce) {
    const ids = listed.slice(at, at + sourcesAtOnce)
    const sources: InternalId[] = []
    await origin.each(`${text} RETURN id(n)`, { ...parameters, ids }, (row) => sources.push(readInternalId(row)))
    gone(ids.length - sources.length)
    const some = await followLayers(origin, sources, toLayer, targetFilter)
    for (const node of some.slice(0, some.length)) known.add(node)
  }
  return { nodes: listIds(known), rows: null, missing: [] }
}

/** As many as the origin ids of a request may be, so that a step of `toLayer` reaches no more from them. */
const sourcesAtOnce = 1_000
