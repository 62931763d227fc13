import type { Alphabet } from './alphabet.ts'
import type { Request } from './requests.ts'

type Change = (request: Request, names: Alphabet) => Partial<{ [Field in keyof Request]: Request[Field] | undefined }>

const toggled = <T>(value: T | undefined, other: T): T | undefined => (value === undefined ? other : undefined)
const withStamp = ({ timestampProperty }: Request) => ({ timestampProperty: timestampProperty ?? 'stamp' })

/** The only database that requests name. Neo4j 4 and later have it. */
export const namedDatabase = 'neo4j'

/** For each option, a change that makes a request differ in it; some changes break a rule. */
const changes: Record<string, Change> = {
  index: ({ index }, { b }) => ({ index: index === b ? undefined : b }),
  originIds: () => ({ originIds: ['u', '7', 'gone'] }),
  relationshipIds: ({ relationshipIds }) => ({ relationshipIds: relationshipIds ? ['gen-gone'] : undefined }),
  hardFilterRelationships: (it) => ({ hardFilterRelationships: !it.hardFilterRelationships }),
  toLayer: ({ toLayer }) => ({ toLayer: toggled(toLayer, ['GEN_T']) }),
  relationships: ({ relationships }) => ({
    relationships: relationships?.map((type) => (type.endsWith('>') ? type.slice(0, -1) : `${type.replace('<', '')}>`)),
  }),
  preventCleanup: (it) => ({ preventCleanup: !it.preventCleanup }),
  relationshipIdField: (it) => ({ relationshipIdField: toggled(it.relationshipIdField, 'grn') }),
  metadata: (it) => ({ metadata: !it.metadata }),
  deleteProperties: (it) => ({ deleteProperties: toggled(it.deleteProperties, ['nick']) }),
  timestampRelationships: (it) => ({ timestampRelationships: !it.timestampRelationships, ...withStamp(it) }),
  timestampProperty: () => ({ timestampProperty: 'otherStamp' }),
  'timestampProperty is an id': () => ({ timestampProperty: 'grn' }),
  relationshipDeleteOnly: (it) => ({ relationshipDeleteOnly: !it.relationshipDeleteOnly }),
  deleteRelationshipById: (it) => ({ deleteRelationshipById: !it.deleteRelationshipById }),
  targetFilter: (it, { x }) => ({ targetFilter: toggled(it.targetFilter, x) }),
  protectedNodeProperties: (it) => ({ protectedNodeProperties: toggled(it.protectedNodeProperties, ['secret']) }),
  protectedRelationshipProperties: (it) => ({
    protectedRelationshipProperties: toggled(it.protectedRelationshipProperties, ['mine']),
  }),
  dynamicLabels: (it, { a, x, y }) => ({ dynamicLabels: toggled(it.dynamicLabels, { [a]: [x, y] }) }),
  postbackTimestamp: (it) => ({ postbackTimestamp: !it.postbackTimestamp, ...withStamp(it) }),
  searchIdField: (it) => ({ searchIdField: toggled(it.searchIdField, 'search') }),
  searchFilter: (it, { a }) => ({ searchFilter: toggled(it.searchFilter, a) }),
  preventSearch: (it, { y }) => ({ preventSearch: toggled(it.preventSearch, [y]) }),
  onUnpublishable: (it) => ({ onUnpublishable: toggled(it.onUnpublishable, 'skip') }),
  numbers: (it) => ({ numbers: toggled(it.numbers, 'strict') }),
  'mappedIndices with another default': (_, { a, b, c }) => ({
    mappedIndices: { DEFAULT_INDEX: c, DEFAULT_ID_FIELD: 'id', [a]: 'id', [b]: 'key' },
  }),
  'mappedIndices without a label': (_, { a, b }) => ({
    mappedIndices: { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'key' },
  }),
  'mappedIndices that disagree': (_, { a, b, c }) => ({
    mappedIndices: { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'key', [c]: 'key' },
  }),
  database: (it) => ({ database: toggled(it.database, namedDatabase) }),
  dbUrl: (it) => ({ isElsewhere: !it.isElsewhere }),
}

export const differences = Object.keys(changes)

/** The same request with these options changed. */
export function twinOf(request: Request, options: readonly string[], names: Alphabet): Request {
  const twin = { ...request }
  for (const option of options) Object.assign(twin, changes[option]?.(twin, names))
  return twin
}
