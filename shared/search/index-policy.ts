import { anchorOf, type Strategy, strategiesOf } from './strategies.ts'

/** What a policy needs to know of a node type: its key, which is the label, and the keys of its properties. */
export interface IndexedType {
  key: string
  properties: readonly string[]
}

interface PolicyOrder {
  policyName: string
  nodeTypes: readonly IndexedType[]
  /** The custom call's answer differs in some places (seed, Search); its one index may have a name of its own. */
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
  }
  caption: { priority: { property: string }[] }
  parameter: null
  hardFilter: null
  indexes: Record<string, Index>
  globals: object
  views: object
}

interface Index {
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

/** The policy that indexes these node types, one index each. Seed, Search; contract 10. */
export function indexPolicy({ policyName, nodeTypes, custom, now }: PolicyOrder): IndexPolicy {
  const time = now.toISOString()
  return {
    metadata: {
      description: `Generated index policy for node types: [${nodeTypes.map(({ key }) => key).join(', ')}].`,
      displayName: policyName,
      createdAt: time,
      updatedAt: time,
      versions: [],
      state: 'OFFLINE',
    },
    caption: { priority: captions.map((property) => ({ property })) },
    parameter: null,
    hardFilter: null,
    indexes: Object.fromEntries(named(nodeTypes, custom?.indexName ?? null, custom !== null)),
    globals: {},
    views: {},
  }
}

/** Each index under its name: keys that differ in case only are told apart by a number. */
function* named(
  nodeTypes: readonly IndexedType[],
  indexName: string | null,
  isCustom: boolean,
): Generator<[string, Index]> {
  const used = new Set<string>()
  for (const type of nodeTypes) {
    const wanted = nodeTypes.length === 1 && indexName !== null ? indexName : anchorOf(type.key)
    let name = wanted
    for (let number = 2; used.has(name); number++) name = `${wanted}-${number}`
    used.add(name)
    yield [name, indexOf(type, name, isCustom)]
  }
}

function indexOf({ key, properties }: IndexedType, name: string, isCustom: boolean): Index {
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
