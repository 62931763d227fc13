import fc from 'fast-check'
import neo4j from 'neo4j-driver'
import { type Alphabet, bytes, idPool, types, valuePool, wideProperties } from './alphabet.ts'
import { equalIds, type Graph, type Node, type Properties, type Relationship } from './graph.ts'

/** A node's labels and `index` property relative to the mapping. The last three kinds have no identity. */
const kinds = [
  ...['A', 'A', 'A', 'B', 'B', 'C', 'AB', 'AB index B', 'BC index C', 'A index B', 'B index X'],
  ...['BC', 'X', 'BC index A'],
]
const soundKinds = kinds.length - 3

type Twist = 'none' | 'other form' | 'duplicate' | 'NaN' | 'no id'

interface NodeRecipe {
  kind: number
  twist: Twist
  slot: number
  extra: readonly ('x' | 'y')[]
  profile: number
  value: unknown
  photo: number
  isWide: boolean
}

const nodeRecipe: fc.Arbitrary<NodeRecipe> = fc.record({
  kind: fc.nat(kinds.length - 1),
  twist: fc.constantFrom<Twist[]>('none', 'none', 'none', 'other form', 'duplicate', 'NaN', 'no id'),
  slot: fc.nat(idPool.length - 1),
  extra: fc.constantFrom<('x' | 'y')[][]>([], [], ['x'], ['y'], ['x', 'y']),
  profile: fc.nat(20),
  value: fc.constantFrom(...valuePool),
  photo: fc.nat(5),
  // Seldom: a database takes long to plan so many properties.
  isWide: fc.oneof({ weight: 80, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

/** Adjusts a recipe; a sound graph contains only publishable nodes and values. */
const made = (recipe: NodeRecipe, isSound: boolean): NodeRecipe =>
  isSound
    ? {
        ...recipe,
        kind: recipe.kind % soundKinds,
        twist: recipe.twist === 'other form' ? 'other form' : 'none',
        photo: 0,
        profile: recipe.profile % soundProfiles,
      }
    : { ...recipe, profile: recipe.profile % nodeProfiles.length }

const nodeProfiles: readonly ((value: unknown) => Properties)[] = [
  () => ({}),
  () => ({ name: 'first', search: 's1' }),
  (rank) => ({ name: 'second', rank }),
  () => ({ name: 'third', secret: 'origin', nick: 'nn' }),
  (rank) => ({ rank, secret: 'origin', search: 12n }),
  () => ({ stamp: 5n, 'odd `key': 1n, a_id: 2n }),
  // Excluded from sound graphs: most requests neither protect nor delete these keys.
  () => ({ nick: bytes, secret: bytes }),
]

const soundProfiles = nodeProfiles.length - 1

interface RelationshipRecipe {
  like: 'fresh' | 'fan' | 'parallel' | 'mirror' | 'loop'
  type: number
  from: number
  to: number
  id: number
  profile: number
  value: unknown
}

type RelationshipId =
  | 'day'
  | 'text of the last day'
  | 'list'
  | 'point'
  | 'string'
  | 'number'
  | 'text of the last number'
  | 'float'
  | 'as the last'
  | 'none'
  | 'NaN'
type RelationshipIds = 'all' | 'mixed' | 'none'
const idsOf: Record<RelationshipIds, RelationshipId[]> = {
  all: [
    'string',
    'number',
    'text of the last number',
    'string',
    'number',
    'text of the last number',
    'float',
    'as the last',
    'day',
    'text of the last day',
    'list',
    'point',
  ],
  mixed: ['string', 'string', 'string', 'number', 'none', 'NaN'],
  none: ['none'],
}

const soundRelationshipProfiles: readonly ((value: unknown) => Properties)[] = [
  () => ({}),
  (since) => ({ since }),
  () => ({ since: 'early', mine: 'origin' }),
  () => ({ mine: 'origin', stamp: 5n }),
]
const relationshipProfiles = [...soundRelationshipProfiles, () => ({ photo: bytes, since: 'late' })]

const relationshipRecipe: fc.Arbitrary<RelationshipRecipe> = fc.record({
  like: fc.constantFrom<RelationshipRecipe['like'][]>('fresh', 'fan', 'fan', 'parallel', 'parallel', 'mirror', 'loop'),
  type: fc.constantFrom(0, 0, 0, 1, 1, 2),
  from: fc.nat(7),
  to: fc.nat(7),
  id: fc.nat(60),
  profile: fc.nat(20),
  value: fc.constantFrom(...valuePool),
})

export interface OriginRecipe {
  /** Whether everything in the graph is publishable. */
  isSound: boolean
  ids: RelationshipIds
  nodes: readonly NodeRecipe[]
  relationships: readonly RelationshipRecipe[]
}

/** Recipes rather than graphs, so that every component can shrink. */
export const originRecipes: fc.Arbitrary<OriginRecipe> = fc.record({
  isSound: fc.boolean(),
  ids: fc.constantFrom<RelationshipIds[]>('all', 'all', 'mixed', 'none'),
  // Biased towards large graphs, which exercise more situations.
  nodes: fc.oneof(
    { withCrossShrink: true },
    fc.array(nodeRecipe, { minLength: 2, maxLength: 8, size: 'max' }),
    fc.array(nodeRecipe, { minLength: 5, maxLength: 8, size: 'max' }),
  ),
  relationships: fc.oneof(
    { withCrossShrink: true },
    fc.array(relationshipRecipe, { maxLength: 12, size: 'max' }),
    fc.array(relationshipRecipe, { minLength: 7, maxLength: 12, size: 'max' }),
  ),
})

export function buildOrigin({ nodes, ...recipe }: OriginRecipe, names: Alphabet): Graph {
  const built = buildNodes(
    nodes.map((node) => made(node, recipe.isSound)),
    names,
  )
  return { nodes: built, relationships: buildRelationships(recipe, built.length, names) }
}

function buildNodes(recipes: readonly NodeRecipe[], names: Alphabet): Node[] {
  const nodes: Node[] = []
  for (const { kind, twist, slot, extra, profile, value, photo, isWide } of recipes) {
    const [letters, , index] = (kinds[kind] as string).split(' ') as [string, string?, string?]
    const labels = [...letters].map((letter) => names[letter.toLowerCase() as 'a'])
    const isTaken = (id: unknown) =>
      nodes.some(
        ({ labels: others, properties }) =>
          others.some((label) => labels.includes(label)) &&
          (equalIds(properties.id, id) || equalIds(properties.key, id)),
      )
    const free = [...idPool.slice(slot), ...idPool.slice(0, slot)].find((id) => !isTaken(id))
    const last = nodes.at(-1)?.properties
    const lastId = last?.id ?? last?.key ?? free
    const form = typeof lastId === 'string' && /^[1-9][0-9]*$/.test(lastId) ? BigInt(lastId) : `${lastId}`
    const otherForm = isTaken(form) ? free : form
    const id = { none: free, 'no id': free, 'other form': otherForm, duplicate: lastId, NaN: Number.NaN }[twist]
    nodes.push({
      labels: [...new Set([...labels, ...extra.map((letter) => names[letter])])],
      properties: {
        ...(isWide ? wideProperties : {}),
        ...nodeProfiles[profile]?.(value),
        ...(photo === 5 ? { photo: bytes } : {}),
        ...(index === undefined ? {} : { index: names[index.toLowerCase() as 'a'] }),
        ...(twist === 'no id' ? {} : idProperties(labels, id, names)),
      },
    })
  }
  return nodes
}

const idProperties = (labels: readonly string[], id: unknown, { b }: Alphabet): Properties => ({
  ...(labels.includes(b) ? { key: id } : {}),
  ...(labels.some((label) => label !== b) ? { id } : {}),
})

function buildRelationships(graph: Omit<OriginRecipe, 'nodes'>, nodeCount: number, names: Alphabet) {
  const built: Relationship[] = []
  let [lastNumber, lastDay] = [0, 0]
  for (const [index, { like, profile, value, id, ...recipe }] of graph.relationships.entries()) {
    const idKind = idsOf[graph.ids][id % idsOf[graph.ids].length] as RelationshipId
    const fresh = { type: types[recipe.type] as string, from: recipe.from % nodeCount, to: recipe.to % nodeCount }
    const last = built.at(-1) ?? fresh
    const place = {
      fresh,
      fan: { ...last, to: fresh.to },
      parallel: { type: last.type, from: last.from, to: last.to },
      mirror: { type: last.type, from: last.to, to: last.from },
      loop: { ...fresh, to: fresh.from },
    }[like]
    const grn = {
      string: names.relationshipId(index),
      number: names.relationshipNumber(index),
      'text of the last number': `${names.relationshipNumber(lastNumber)}`,
      float: Number(names.relationshipNumber(lastNumber)),
      'as the last': built.at(-1)?.properties.grn ?? names.relationshipId(index),
      day: names.relationshipDay(index),
      'text of the last day': `${names.relationshipDay(lastDay)}`,
      list: [names.relationshipId(index), 'part'],
      point: new neo4j.types.Point(7203n as never, index, Number(names.relationshipNumber(0))),
      none: undefined,
      NaN: Number.NaN,
    }[idKind]
    if (idKind === 'number') lastNumber = index
    if (idKind === 'day') lastDay = index
    const profiles = graph.isSound ? soundRelationshipProfiles : relationshipProfiles
    const properties = profiles[profile % profiles.length]?.(value) ?? {}
    built.push({ ...place, properties: grn === undefined ? properties : { ...properties, grn } })
  }
  return built
}
