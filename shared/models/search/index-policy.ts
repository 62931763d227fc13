import { anchorOf, type Strategy, strategiesOf } from './strategies.ts'

/** A node type in a policy: its key, which is its label, and the keys of its properties. */
export interface IndexedType {
  key: string
  properties: readonly string[]
}

interface PolicyOrder {
  policyName: string
  /** The keys of the policy's node types, in the order of `nodeTypes`. */
  keys: readonly string[]
  nodeTypes: Iterable<IndexedType> | AsyncIterable<IndexedType>
  /** Result of `indexNames` for the whole model. */
  names: ReadonlyMap<string, string>
  /** Keys of omitted node types, because no statement can name them. */
  leftOut: readonly string[]
  /** The custom call's answer differs in places (seed, Search); a single index may have a custom name. */
  custom: { indexName: string | null } | null
  now: Date
}

/** Seed, Index policy. */
export interface IndexPolicy {
  metadata: {
    description: string
    displayName: string
    createdAt: string
    updatedAt: string
    versions: never[]
    state: 'OFFLINE'
    /** Additive: keys of omitted node types, because no statement can name them. */
    leftOut?: readonly string[]
  }
  caption: { priority: { property: string }[] }
  parameter: null
  hardFilter: null
  indexes: Record<string, PolicyIndex>
  globals: object
  views: object
}

interface PolicyIndex {
  indexData: { description: string; displayName: string; caption: { priority: never[] } }
  indexStrategies: Record<string, Strategy>
  settings: object
  mappings: null
  schema: Record<string, PropertySchema>
  hardFilter: null
  viewRequirements: object
}

interface PropertySchema {
  schema: { generatorStrategies: { default: string } }
  searchQuery: object
  viewRequirements?: object
  tokenizer?: null
  suggester?: null
}

const captions = ['title', 'name', 'address', 'phone', 'grn']

/**
 * The policy that indexes these node types, one index each. JSON text in chunks of one index, because it may be large.
 * Seed, Search; contract 10.
 */
export async function* indexPolicy(order: PolicyOrder): AsyncGenerator<string> {
  const { policyName, keys, nodeTypes, names, leftOut, custom, now } = order
  const time = now.toISOString()
  const policy: IndexPolicy = {
    metadata: {
      description: `Generated index policy for node types: [${keys.join(', ')}].`,
      displayName: policyName,
      createdAt: time,
      updatedAt: time,
      versions: [],
      state: 'OFFLINE',
      ...(leftOut.length > 0 ? { leftOut } : {}),
    },
    caption: { priority: captions.map((property) => ({ property })) },
    parameter: null,
    hardFilter: null,
    indexes: {},
    globals: {},
    views: {},
  }
  const { indexes: _, globals, views, ...head } = policy
  yield `${JSON.stringify(head).slice(0, -1)},"indexes":{`
  let separator = ''
  for await (const type of nodeTypes) {
    const ownName = names.get(type.key) ?? anchorOf(type.key)
    const name = keys.length === 1 ? (custom?.indexName ?? ownName) : ownName
    yield `${separator}${JSON.stringify(name)}:${JSON.stringify(indexOf(type, name, custom !== null))}`
    separator = ','
  }
  yield `},${JSON.stringify({ globals, views }).slice(1)}`
}

/**
 * Index names by node type key: the lower-cased key. Among keys that differ only in case the first gets that name and
 * the others a numeric suffix. Names are stable only if computed over the whole model, oldest first.
 */
export function indexNames(keys: readonly string[]): Map<string, string> {
  const taken = new Set(keys.map(anchorOf))
  const nextNumbers = new Map<string, number>()
  return new Map(
    keys.map((key) => {
      const wanted = anchorOf(key)
      let number = nextNumbers.get(wanted)
      // A number is tried once for each name, so that thousands of equal names take linear time.
      while (number !== undefined && taken.has(`${wanted}-${number}`)) number++
      nextNumbers.set(wanted, number === undefined ? 2 : number + 1)
      return [key, number === undefined ? wanted : `${wanted}-${number}`]
    }),
  )
}

function indexOf({ key, properties }: IndexedType, name: string, isCustom: boolean): PolicyIndex {
  const schema = (property: string): PropertySchema => ({
    schema: { generatorStrategies: { default: `${anchorOf(key)}.${property}` } },
    searchQuery: {},
    ...(isCustom ? { tokenizer: null, suggester: null } : { viewRequirements: {} }),
  })
  return {
    indexData: {
      description: `Generated '${name}' index from the '${key}' node type.`,
      displayName: name,
      caption: { priority: [] },
    },
    indexStrategies: strategiesOf(key, isCustom),
    settings: {},
    mappings: null,
    schema: Object.fromEntries(properties.map((property) => [property, schema(property)])),
    hardFilter: null,
    viewRequirements: {},
  }
}
