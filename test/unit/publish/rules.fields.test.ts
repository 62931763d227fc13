import { describe, expect, test } from 'vitest'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { booleanFields, choiceFields, misspelledFields, unknownFields } from '../../support/clients/publish-fields.ts'
import { ids, issuesOf, request, validRequest } from '../valid-request.ts'

const badName = 'must be non-empty, without backslashes, control characters or lone surrogates'
const lists = [
  'originIds',
  'relationshipIds',
  'toLayer',
  'relationships',
  'deleteProperties',
  'protectedNodeProperties',
  'protectedRelationshipProperties',
  'preventSearch',
]
const texts = [
  'dbUrl',
  'credentials',
  'index',
  'relationshipIdField',
  'timestampProperty',
  'targetFilter',
  'orgName',
  'fileName',
  'searchIdField',
  'searchFilter',
]
const names = ['index', 'relationshipIdField', 'timestampProperty', 'targetFilter', 'searchIdField', 'searchFilter']

describe('types', () => {
  test.each(lists)('%s is a list', (field) => {
    expect(issuesOf({ [field]: 'one' })).toEqual([{ path: field, message: 'must be an array' }])
  })

  test.each(lists)('%s contains strings, and every other element is reported', (field) => {
    expect(issuesOf({ [field]: [7, null] })).toEqual([
      { path: `${field}[0]`, message: 'must be a string' },
      { path: `${field}[1]`, message: 'must be a string' },
    ])
  })

  test.each(booleanFields)('%s is a boolean, not a string', (field) => {
    expect(issuesOf({ [field]: 'true' })).toEqual([{ path: field, message: 'must be a boolean' }])
  })

  test.each(texts)('%s is a string', (field) => {
    expect(issuesOf({ searchIdField: 'id', [field]: 7 })).toEqual([{ path: field, message: 'must be a string' }])
  })

  test.each(names)('%s must be usable in a statement', (field) => {
    expect(issuesOf({ searchIdField: 'id', [field]: 'a\\u0060b' })).toEqual([{ path: field, message: badName }])
  })

  test.each(['deleteProperties', 'protectedNodeProperties', 'protectedRelationshipProperties', 'preventSearch'])(
    'each element of %s must be usable in a statement',
    (field) => {
      expect(issuesOf({ searchIdField: 'id', [field]: ['fine', '', 'a\nb'] })).toEqual([
        { path: `${field}[1]`, message: badName },
        { path: `${field}[2]`, message: badName },
      ])
    },
  )

  test.each([[[]], ['Person'], [7]])('mappedIndices is an object, not %j', (mappedIndices) => {
    expect(issuesOf({ mappedIndices })).toEqual([{ path: 'mappedIndices', message: 'must be an object' }])
  })

  test('dynamicLabels maps labels to lists of labels', () => {
    expect(issuesOf({ dynamicLabels: { Person: ['Actor'], Movie: [] } })).toEqual([])
    expect(issuesOf({ dynamicLabels: { Person: 'Actor', Movie: [''], 'Mo\\vie': [] } })).toEqual([
      { path: 'dynamicLabels.Person', message: 'must be an array' },
      { path: 'dynamicLabels.Movie[0]', message: badName },
      { path: 'dynamicLabels.Mo\\vie', message: badName },
    ])
  })

  test.each(choiceFields)('%s is one of %s', (field, values) => {
    for (const value of values.split(', ')) expect(issuesOf({ [field]: value })).toEqual([])
    expect(issuesOf({ [field]: 'other' })).toEqual([{ path: field, message: `must be one of ${values}` }])
  })

  test.each([[null], ['text'], [7], [[validRequest]]])('the body is an object, not %j', (body) => {
    expect(parsePublishRequest(body).issues).toEqual([
      { path: '', message: 'the body must be a JSON object, a publish request' },
    ])
  })
})

test('null is the same as absent, for every optional field', () => {
  const optional = [
    ...lists,
    ...booleanFields,
    ...names,
    'dynamicLabels',
    'parameterSyntax',
    'onUnpublishable',
    'numbers',
    'compression',
  ]
  const nulls = Object.fromEntries(optional.map((field) => [field, null]))
  const given = request({ ...nulls, originIds: ['p1'], metadata: true })
  expect(parsePublishRequest(given)).toEqual({ request: validRequest, issues: [] })
})

describe('an unknown field', () => {
  test.each(misspelledFields)('the unknown field %s is rejected with the closest known name, %s', (field, known) => {
    expect(issuesOf({ [field]: true })).toEqual([{ path: field, message: `unknown field, did you mean \`${known}\`?` }])
  })

  test.each(unknownFields)('the unknown field %s is rejected without a suggestion if no name is close', (field) => {
    expect(issuesOf({ [field]: true })).toEqual([{ path: field, message: 'unknown field' }])
  })

  test('an unknown field is rejected even if null', () => {
    expect(issuesOf({ preventCleanUp: null })).toEqual([
      { path: 'preventCleanUp', message: 'unknown field, did you mean `preventCleanup`?' },
    ])
  })
})

test('a misspelt field brings no complaint that the field it means is absent', () => {
  const { originIds, ...others } = validRequest
  const misspelt = { ...others, originIdz: originIds }
  expect(parsePublishRequest(misspelt).issues.map(({ path }) => path)).toEqual(['originIdz'])
  const both = { ...others, originIds: 7, originIdz: originIds }
  expect(parsePublishRequest(both).issues.map(({ path }) => path)).toEqual(['originIds', 'originIdz'])
})

test('all broken rules are reported at once, fields first', () => {
  const body = {
    dbUrl: 'neo4j+ssc://db.example',
    mappedIndices: { DEFAULT_INDEX: 'Person' },
    index: 'Actor',
    originIds: ids(501),
    relationships: ['<KNOWS>'],
    relationshipIds: ['r1'],
    timestampRelationships: true,
    preventCleanUp: true,
    searchFilter: 'Person',
    orgName: 'status',
  }
  expect(parsePublishRequest(body).issues.map(({ path, message }) => `${path}: ${message}`)).toMatchInlineSnapshot(`
    [
      "dbUrl: must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else",
      "relationships[0]: must be TYPE, TYPE> (outgoing), <TYPE (incoming) or \`TYPE\`",
      "preventCleanUp: unknown field, did you mean \`preventCleanup\`?",
      "orgName: must not start with the reserved name status",
      "credentials: required",
      "mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes",
      "index: must be a label in mappedIndices or the value of DEFAULT_INDEX",
      "originIds: at most 500 ids, originIds and relationshipIds together; there are 502, use POST /1.0/publish/multi",
      "relationshipIdField: required when relationshipIds are given",
      "timestampProperty: required when timestampRelationships is true",
      "searchFilter: needs searchIdField",
      "fileName: required unless returnOnly is true",
    ]
  `)
})
