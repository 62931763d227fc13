/** Names that break out of a statement that does not quote them. `mark` makes them unique per test. */
export const breakouts = (mark: string): string[] => [
  `${mark}\` {id: 1}) CREATE (:Pwned${mark}) //`,
  `${mark}\`\`}) DETACH DELETE n //`,
  `\`${mark}; MATCH (n) DETACH DELETE n; /* \``,
  `{${mark}} $${mark} {id} $id '"} ]-() DELETE r WITH 1 AS x // */`,
]

/** Names that no statement can hold, because some parser would decode them or end the name early. */
export const refusedNames = [
  ...[
    'x\\u0060) DETACH DELETE n //',
    '\\',
    'x\\',
    '\\`',
    'x\nMATCH (n) DETACH DELETE n',
    '\r',
    '\u0000',
    'x\u0085',
    '',
  ],
  ...['\ud800', 'x\udfff'],
]

type Request = Record<string, unknown>
type Names = readonly string[]

const mapped = (label: string, entries: Record<string, string>) => ({
  mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'id', ...entries },
})
const quoted = (names: Names) => names.map((name) => name && `\`${name.replaceAll('`', '``')}\``)
const entries = (keys: Names, value: (key: string) => string) =>
  Object.fromEntries(keys.map((key) => [key, value(key)]))

interface Position {
  /** The field as an error names it. */
  field: string
  /** Builds a request with these names in this position. */
  with: (names: Names, label: string) => Request
  /** For positions with a single name: try each, or only the first where a lookup covers every type of the origin. */
  one?: 'each' | 'first'
}

/** Every position of a publish request that holds a label, type or property key. */
export const positions: Position[] = [
  {
    field: 'mappedIndices',
    with: (names, label) =>
      mapped(
        label,
        entries(names, () => 'id'),
      ),
  },
  {
    field: 'mappedIndices.Other0',
    with: (names, label) => mapped(label, Object.fromEntries(names.map((name, index) => [`Other${index}`, name]))),
  },
  {
    field: 'mappedIndices.DEFAULT_INDEX',
    with: ([name], label) => mapped(label, { DEFAULT_INDEX: name as string }),
    one: 'each',
  },
  {
    field: 'mappedIndices.DEFAULT_ID_FIELD',
    with: ([name], label) => mapped(label, { DEFAULT_ID_FIELD: name as string }),
    one: 'each',
  },
  {
    field: 'index',
    with: ([name], label) => ({ ...mapped(label, { [name as string]: 'id' }), index: name }),
    one: 'each',
  },
  { field: 'toLayer', with: (names) => ({ toLayer: quoted(names).slice(0, 1), relationships: ['T'] }), one: 'each' },
  { field: 'relationships', with: (names) => ({ relationships: quoted(names) }) },
  {
    field: 'relationshipIdField',
    with: ([name]) => ({ relationshipIdField: name, deleteRelationshipById: true }),
    one: 'each',
  },
  {
    field: 'relationshipIdField',
    with: ([name]) => ({ relationshipIdField: name, relationshipIds: ['r'], relationships: [], preventCleanup: true }),
    one: 'first',
  },
  { field: 'deleteProperties', with: (names) => ({ deleteProperties: names }) },
  {
    field: 'timestampProperty',
    with: ([name]) => ({ timestampProperty: name, timestampRelationships: true, postbackTimestamp: true }),
    one: 'each',
  },
  { field: 'targetFilter', with: ([name]) => ({ targetFilter: name }), one: 'each' },
  { field: 'protectedNodeProperties', with: (names) => ({ protectedNodeProperties: names }) },
  { field: 'protectedRelationshipProperties', with: (names) => ({ protectedRelationshipProperties: names }) },
  {
    field: 'dynamicLabels',
    with: (names) => ({ dynamicLabels: Object.fromEntries(names.map((name) => [name, ['Retired']])) }),
  },
  { field: 'dynamicLabels', with: (names, label) => ({ dynamicLabels: { [label]: names } }) },
  { field: 'searchIdField', with: ([name]) => ({ searchIdField: name }), one: 'each' },
  { field: 'searchFilter', with: ([name]) => ({ searchIdField: 'id', searchFilter: name }), one: 'each' },
  { field: 'preventSearch', with: (names) => ({ searchIdField: 'id', preventSearch: names }) },
]

/** The same for the delete endpoint (#9); it deletes the id `nobody`. */
export const deletePositions: Position[] = [
  {
    field: 'mappedIndices',
    with: ([name], label) => ({ ...mapped(label, { [name as string]: 'id' }), index: name }),
    one: 'each',
  },
  {
    field: `mappedIndices.Other`,
    with: ([name], label) => ({ ...mapped(label, { Other: name as string }), index: 'Other' }),
    one: 'each',
  },
  {
    field: 'index',
    with: ([name], label) => ({ ...mapped(label, { [name as string]: 'id' }), index: name }),
    one: 'each',
  },
]

/** The same for the create-relationships endpoint (#10). */
export const createPositions: Position[] = ['startIndex', 'startIdField', 'endIndex', 'endIdField', 'type'].map(
  (field) => ({
    field,
    with: ([name]) => ({ [field]: name }),
    one: 'each',
  }),
)
