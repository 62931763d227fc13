import { equalIds, type Graph, type Node } from '../generator/graph.ts'
import type { Request } from '../generator/requests.ts'
import { without } from '../generator/targets.ts'

export interface Identity {
  label: string
  key: string
  value: unknown
}

export const bears = ({ labels, properties }: Node, { label, key, value }: Identity): boolean =>
  labels.includes(label) && equalIds(properties[key], value)

/**
 * Removes the nodes that violate what contract 5 supposes of a target: each identity of the packet matches at most one
 * node, and no node matches two.
 */
export function admitted(target: Graph, identities: readonly Identity[]): Graph {
  const taken = new Set<Identity>()
  return without(target, (node) => {
    const own = identities.filter((identity) => bears(node, identity))
    const isUnfit = own.length > 1 || own.some((identity) => taken.has(identity))
    if (!isUnfit) for (const identity of own) taken.add(identity)
    return isUnfit
  })
}

export type Mapping = Request['mappedIndices']

export const isMapped = (mapping: Mapping, label: string) =>
  label === mapping.DEFAULT_INDEX ||
  (Object.hasOwn(mapping, label) && label !== 'DEFAULT_INDEX' && label !== 'DEFAULT_ID_FIELD')

export const idPropertyOf = (mapping: Mapping, label: string): string =>
  (label === mapping.DEFAULT_INDEX ? mapping.DEFAULT_ID_FIELD : mapping[label]) as string

/** Contract 4.2: the node's `index`, else the default label, else its only mapped label. */
export function labelOf({ labels, properties }: Node, mapping: Mapping): string | null {
  const { index } = properties
  if (typeof index === 'string' && isMapped(mapping, index) && labels.includes(index)) return index
  if (labels.includes(mapping.DEFAULT_INDEX as string)) return mapping.DEFAULT_INDEX as string
  const borne = labels.filter((label) => isMapped(mapping, label))
  return borne.length === 1 ? (borne[0] as string) : null
}

export type Flaw = 'no label' | 'no id' | 'NaN id' | 'duplicate'

/** How a node is found on the target, or why it cannot be published. Contract 4.2. */
export function identify(origin: Graph, node: Node, mapping: Mapping): Identity | Flaw {
  const label = labelOf(node, mapping)
  if (label === null) return 'no label'
  const key = idPropertyOf(mapping, label)
  const value = node.properties[key]
  const identity = { label, key, value }
  if (value === undefined || value instanceof Int8Array) return 'no id'
  if (Number.isNaN(value)) return 'NaN id'
  return origin.nodes.filter((other) => bears(other, identity)).length === 1 ? identity : 'duplicate'
}

export function identityOf(origin: Graph, node: Node, mapping: Mapping): Identity | null {
  const identity = identify(origin, node, mapping)
  return typeof identity === 'string' ? null : identity
}

/** The values that a requested id matches: the string, and the 64-bit integer it denotes. Contract 4.3. */
export function meantBy(id: string): unknown[] {
  const isInteger = /^(0|-?[1-9][0-9]*)$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id)
  return isInteger ? [id, BigInt(id)] : [id]
}

export const isMeantBy = (ids: readonly string[], value: unknown): boolean =>
  ids.some((id) => meantBy(id).some((meant) => equalIds(meant, value)))
