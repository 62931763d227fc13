import { equalIds, type Graph, type Properties } from '../generator/graph.ts'
import { bears, type Identity } from './identities.ts'
import type { Direction } from './select.ts'

/** The effect of replaying one pair on a target, in terms of contract 5. */
export type Operation =
  | {
      kind: 'node'
      identity: Identity
      properties: Properties
      /** Properties whose value on the target is kept. */
      kept: readonly string[]
      added: readonly string[]
      removed: readonly string[]
    }
  | {
      kind: 'relationship'
      type: string
      from: Identity
      to: Identity
      relationshipIdField: string | null
      properties: Properties
      kept: readonly string[]
    }
  | { kind: 'cleanup'; base: Identity; type: string; direction: Direction; keeps: Keeps }
  | { kind: 'stamp node'; identity: Identity; properties: Properties }
  | {
      kind: 'stamp relationship'
      type: string
      from: Identity
      to: Identity
      relationshipIdField: string | null
      relationshipId: unknown
      properties: Properties
    }

/** `id` counts only if `idField` names its property. */
type KeptEnds = readonly { far: Identity; id: unknown }[]
type Keeps =
  | { idField: string | null; outgoing: KeptEnds; incoming: KeptEnds }
  | { key: string; ids: readonly unknown[] }

interface MutableNode {
  labels: string[]
  properties: Properties
}
interface MutableRelationship {
  type: string
  from: MutableNode
  to: MutableNode
  properties: Properties
}

/** Applies the operations to the target, in order. */
export function applied(target: Graph, operations: readonly Operation[]): Graph {
  const nodes: MutableNode[] = target.nodes.map((node) => ({ ...node, labels: [...node.labels] }))
  let relationships: MutableRelationship[] = target.relationships.map((it) => ({
    ...it,
    from: nodes[it.from] as MutableNode,
    to: nodes[it.to] as MutableNode,
  }))

  const found = (identity: Identity) => nodes.filter((node) => bears(node, identity))
  const merged = (identity: Identity): MutableNode[] => {
    const existing = found(identity)
    if (existing.length > 0) return existing
    const created = { labels: [identity.label], properties: { [identity.key]: identity.value } }
    nodes.push(created)
    return [created]
  }
  const between = (from: MutableNode, to: MutableNode, type: string, idField: string | null, id: unknown) =>
    relationships.filter(
      (it) =>
        it.from === from &&
        it.to === to &&
        it.type === type &&
        (idField === null || equalIds(it.properties[idField], id)),
    )

  for (const it of operations) {
    if (it.kind === 'node') {
      for (const node of merged(it.identity)) {
        node.properties = { ...it.properties, ...only(node.properties, it.kept) }
        node.labels = [...new Set([...node.labels, ...it.added])].filter((label) => !it.removed.includes(label))
      }
    } else if (it.kind === 'relationship') {
      for (const from of merged(it.from)) {
        for (const to of merged(it.to)) {
          const id = it.relationshipIdField === null ? undefined : it.properties[it.relationshipIdField]
          const existing = between(from, to, it.type, it.relationshipIdField, id)
          const written = existing.length > 0 ? existing : [{ type: it.type, from, to, properties: {} }]
          if (existing.length === 0) relationships.push(...written)
          for (const one of written) one.properties = { ...it.properties, ...only(one.properties, it.kept) }
        }
      }
    } else if (it.kind === 'cleanup') {
      const bases = found(it.base)
      relationships = relationships.filter((one) => {
        const isOut = it.direction !== 'in' && bases.includes(one.from)
        const isIn = it.direction !== 'out' && bases.includes(one.to)
        if (one.type !== it.type || !(isOut || isIn)) return true
        const { keeps } = it
        if ('ids' in keeps) return keeps.ids.some((id) => equalIds(id, one.properties[keeps.key]))
        const { idField, outgoing, incoming } = keeps
        const isAmong = (kept: KeptEnds, node: MutableNode) =>
          kept.some(({ far, id }) => bears(node, far) && (idField === null || equalIds(one.properties[idField], id)))
        return (isOut && isAmong(outgoing, one.to)) || (isIn && isAmong(incoming, one.from))
      })
    } else if (it.kind === 'stamp node') {
      for (const node of found(it.identity)) node.properties = { ...node.properties, ...it.properties }
    } else {
      for (const from of found(it.from)) {
        for (const to of found(it.to)) {
          const existing = between(from, to, it.type, it.relationshipIdField, it.relationshipId)
          for (const one of existing) one.properties = { ...one.properties, ...it.properties }
        }
      }
    }
  }
  return {
    nodes,
    relationships: relationships.map((it) => ({ ...it, from: nodes.indexOf(it.from), to: nodes.indexOf(it.to) })),
  }
}

const only = (properties: Properties, keys: readonly string[]): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([key]) => keys.includes(key)))

/** Every identity that the operations match on. */
export const identitiesOf = (operations: readonly Operation[]): Identity[] => {
  const all = operations.flatMap((it): Identity[] => {
    if (it.kind === 'node' || it.kind === 'stamp node') return [it.identity]
    if (it.kind !== 'cleanup') return [it.from, it.to]
    if ('ids' in it.keeps) return [it.base]
    return [it.base, ...[...it.keeps.outgoing, ...it.keeps.incoming].map(({ far }) => far)]
  })
  return all.filter(
    (one, index) =>
      all.findIndex(
        (other) => other.label === one.label && other.key === one.key && equalIds(other.value, one.value),
      ) === index,
  )
}
