import fc from 'fast-check'
import { type Alphabet, idPool, missingIds, types } from './alphabet.ts'
import type { Graph, Node, Properties, Relationship } from './graph.ts'

/** How an origin node appears on the target before the replay. */
const fates = ['absent', 'as it is', 'bare', 'stale', 'stale', 'relabelled', 'id in its other form'] as const

/** Ids of nodes that only the target has, starting with those that requests name in vain. */
const ghostIds: readonly unknown[] = [...missingIds, 99n, 8n, ...idPool.slice(0, 6)]

/** How a relationship of the origin appears there: `beside` is parallel to it, `exchanged` has the id of the next. */
const copyFates = [
  ...(['absent', 'as it is', 'stale', 'twice', 'mirrored', 'with another id', 'without id'] as const),
  ...(['beside', 'exchanged'] as const),
]
type CopyFate = (typeof copyFates)[number]

export interface TargetRecipe {
  fates: readonly (typeof fates)[number][]
  ghosts: readonly { label: 'a' | 'b' | 'c' | 'x'; slot: number }[]
  /** One per relationship of the origin; repeats for longer lists. */
  copies: readonly CopyFate[]
  strays: readonly { type: number; from: number; to: number; copiesIdOf: number | null }[]
}

export const targetRecipes: fc.Arbitrary<TargetRecipe> = fc.record({
  fates: fc.array(fc.constantFrom<(typeof fates)[number][]>(...fates), { minLength: 8, maxLength: 8 }),
  ghosts: fc.array(
    fc.record({
      label: fc.constantFrom<('a' | 'b' | 'c' | 'x')[]>('a', 'b', 'c', 'x'),
      slot: fc.nat(ghostIds.length - 1),
    }),
    { maxLength: 3 },
  ),
  copies: fc.array(fc.constantFrom<CopyFate[]>(...copyFates), { minLength: 1, maxLength: 12, size: 'max' }),
  strays: fc.array(
    fc.record({
      type: fc.nat(types.length - 1),
      from: fc.nat(10),
      to: fc.nat(10),
      copiesIdOf: fc.option(fc.nat(11)),
    }),
    { maxLength: 9, size: 'max' },
  ),
})

/** A dirty copy of an origin. It may violate what the guarantee supposes of a target; see `admitted`. */
export function buildTarget(recipe: TargetRecipe, origin: Graph, names: Alphabet): Graph {
  const fateOf = (index: number) => recipe.fates[index % recipe.fates.length]
  const copied = origin.nodes.map((node, index) => dirtied(node, fateOf(index), names))
  const ghosts = recipe.ghosts.map(({ label, slot }): Node => {
    const id = ghostIds[slot]
    return { labels: [names[label]], properties: { [label === 'b' ? 'key' : 'id']: id, name: 'ghost' } }
  })
  const nodes = [...copied, ...ghosts]
  const copies = origin.relationships.flatMap((relationship, index) =>
    copiesOf(
      relationship,
      origin.relationships[(index + 1) % origin.relationships.length] as Relationship,
      recipe.copies[index % recipe.copies.length],
    ),
  )
  const strays = recipe.strays.map(({ type, from, to, copiesIdOf }): Relationship => {
    const grn = copiesIdOf === null ? 'stale' : origin.relationships[copiesIdOf]?.properties.grn
    const properties: Properties = { mine: 'target', ...(grn === undefined ? {} : { grn }) }
    return { type: types[type] as string, from: from % nodes.length, to: to % nodes.length, properties }
  })
  return without(
    { nodes, relationships: [...copies, ...strays] },
    (_node, index) => index < copied.length && fateOf(index) === 'absent',
  )
}

function dirtied(node: Node, fate: (typeof fates)[number] | undefined, { c, x, y, z }: Alphabet): Node {
  const { id, key, index, photo, ...others } = node.properties
  const ids = { ...(id === undefined ? {} : { id }), ...(key === undefined ? {} : { key }) }
  if (fate === 'bare') return { labels: node.labels, properties: ids }
  if (fate === 'stale') {
    const properties = { ...ids, stale: true, name: 'old', secret: 'target', nick: 'target', stamp: 3n }
    return { labels: [...new Set([...node.labels.filter((label) => label !== y), x, z])], properties }
  }
  if (fate === 'relabelled')
    return { labels: [...new Set([...node.labels, y, c])], properties: { ...ids, photo: 'mine' } }
  const isOther = fate === 'id in its other form'
  const otherForms = Object.fromEntries(Object.entries(ids).map(([name, value]) => [name, otherForm(value)]))
  return { labels: node.labels, properties: { ...others, ...ids, ...(isOther ? otherForms : {}) } }
}

/** Swaps 5 and 5.0, which are equal to `MERGE`. */
function otherForm(id: unknown): unknown {
  if (typeof id === 'bigint') return Number(id)
  return Number.isInteger(id) ? BigInt(id as number) : id
}

function copiesOf(relationship: Relationship, next: Relationship, fate: CopyFate | undefined): Relationship[] {
  const { grn, ...others } = relationship.properties
  const id: Properties = grn === undefined ? {} : { grn }
  const stale = { stale: true, since: 'never', mine: 'target' }
  switch (fate) {
    case 'as it is':
      return [relationship]
    case 'stale':
      return [{ ...relationship, properties: { ...id, ...stale } }]
    case 'twice':
      return [
        { ...relationship, properties: { ...id, ...stale } },
        { ...relationship, properties: { ...id, mine: 'second' } },
      ]
    case 'mirrored':
      return [{ ...relationship, from: relationship.to, to: relationship.from, properties: { ...id, ...stale } }]
    case 'with another id':
      return [{ ...relationship, properties: { ...others, grn: 'stale' } }]
    case 'beside':
      return [relationship, { ...relationship, properties: { ...others, grn: 'stale' } }]
    case 'exchanged': {
      const { grn: otherId } = next.properties
      return [{ ...relationship, properties: { ...others, ...(otherId === undefined ? {} : { grn: otherId }) } }]
    }
    case 'without id':
      return [{ ...relationship, properties: stale }]
    default:
      return []
  }
}

/** The graph without the nodes that `isOut` selects, and without their relationships. */
export function without({ nodes, relationships }: Graph, isOut: (node: Node, index: number) => boolean): Graph {
  const kept = nodes.flatMap((node, index) => (isOut(node, index) ? [] : [index]))
  const at = new Map(kept.map((old, index) => [old, index]))
  return {
    nodes: kept.map((index) => nodes[index] as Node),
    relationships: relationships.flatMap((relationship) => {
      const [from, to] = [at.get(relationship.from), at.get(relationship.to)]
      return from === undefined || to === undefined ? [] : [{ ...relationship, from, to }]
    }),
  }
}
