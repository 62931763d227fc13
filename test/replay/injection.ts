/** Names that would break out of a text which does not quote them. `mark` keeps them apart from those of other tests. */
export const breakouts = (mark: string): string[] => [
  `${mark}\` {id: 1}) CREATE (:Pwned${mark}) //`,
  `${mark}\`\`}) DETACH DELETE n //`,
  `\`${mark}; MATCH (n) DETACH DELETE n; /* \``,
  `{${mark}} $${mark} {id} $id '"} ]-() DELETE r WITH 1 AS x // */`,
]

/** Names that no statement can hold, as some parser would decode or end them. */
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
  /** How an error names it. */
  field: string
  /** What puts names there. */
  with: (names: Names, label: string) => Request
  /** Where one name fits at a time; `first`: the first of them is enough, as each is asked of every type of the origin. */
  one?: 'each' | 'first'
}

/** Every place of a publish request that holds a label, a type or a property key. */
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

/** Every such place of #9, which deletes `nobody`. */
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

/** Every such place of #10. */
export const createPositions: Position[] = ['startIndex', 'startIdField', 'endIndex', 'endIdField', 'type'].map(
  (field) => ({
    field,
    with: ([name]) => ({ [field]: name }),
    one: 'each',
  }),
)
