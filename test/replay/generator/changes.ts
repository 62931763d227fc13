import fc from 'fast-check'
import type { Graph, Relationship } from './graph.ts'
import { without } from './targets.ts'

/** What happens to an origin between two publishes; each list repeats for longer ones. */
export interface ChangeRecipe {
  nodes: readonly ('stays' | 'renamed' | 'removed')[]
  relationships: readonly ('stays' | 'rewritten' | 'exchanged' | 'removed')[]
  created: readonly { type: number; from: number; to: number }[]
}

export const changeRecipes: fc.Arbitrary<ChangeRecipe> = fc.record({
  nodes: fc.array(fc.constantFrom<ChangeRecipe['nodes'][number][]>('stays', 'stays', 'stays', 'renamed', 'removed'), {
    minLength: 8,
    maxLength: 8,
  }),
  relationships: fc.array(
    fc.constantFrom<ChangeRecipe['relationships'][number][]>('stays', 'stays', 'rewritten', 'exchanged', 'removed'),
    { minLength: 9, maxLength: 9 },
  ),
  created: fc.array(fc.record({ type: fc.nat(2), from: fc.nat(10), to: fc.nat(10) }), { maxLength: 2 }),
})

function withIdOf({ properties: { grn, ...others }, ...relationship }: Relationship, other: Relationship) {
  const id = other.properties.grn
  return { ...relationship, properties: id === undefined ? others : { ...others, grn: id } }
}

/** The origin as it is after the changes. */
export function changed(origin: Graph, recipe: ChangeRecipe, types: readonly string[]): Graph {
  const fateOf = (index: number) => recipe.nodes[index % recipe.nodes.length]
  const nodes = origin.nodes.map((node, index) =>
    fateOf(index) === 'renamed' ? { ...node, properties: { ...node.properties, name: 'renamed' } } : node,
  )
  const relationships = origin.relationships.flatMap((relationship, index) => {
    const fate = recipe.relationships[index % recipe.relationships.length]
    if (fate === 'removed') return []
    // Two neighbours exchange their ids.
    const neighbour = origin.relationships[index ^ 1]
    const pairFate = recipe.relationships[(index >> 1) % recipe.relationships.length]
    if (neighbour && pairFate === 'exchanged') return [withIdOf(relationship, neighbour)]
    if (fate === 'stays' || fate === 'exchanged') return [relationship]
    return [{ ...relationship, properties: { ...relationship.properties, since: 'rewritten' } }]
  })
  const created = recipe.created.map(({ type, from, to }, index) => ({
    type: types[type] as string,
    from: from % nodes.length,
    to: to % nodes.length,
    properties: { grn: `gen-created-${index}` },
  }))
  const whole = { nodes, relationships: [...relationships, ...(nodes.length > 0 ? created : [])] }
  return without(whole, (_node, index) => fateOf(index) === 'removed')
}
