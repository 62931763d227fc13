import { describe, expect, test } from 'vitest'
import { choiceFields, misspelledFields, unknownFields } from '../support/clients/publish-fields.ts'
import { badName, expectRefused, manyIds, startFromValid } from '../support/clients/refusals.ts'

const { client, org, request, refuses } = await startFromValid()
const slashes = 'must not start or end with a slash'

describe('postback options', () => {
  test('postbackTimestamp is a boolean and needs timestampProperty', async () => {
    await refuses({ postbackTimestamp: 'yes' }, 'postbackTimestamp: must be a boolean')
    await refuses({ postbackTimestamp: true }, 'timestampProperty: required when postbackTimestamp is true')
    await refuses(
      { postbackTimestamp: true, timestampProperty: 'at', protectedNodeProperties: ['at'] },
      'protectedNodeProperties: must not name "at", the timestampProperty',
    )
  })
})

describe('storage options', () => {
  test.each([undefined, null, false])('orgName and fileName are required when returnOnly is %j', async (returnOnly) => {
    await refuses(
      { returnOnly, orgName: undefined, fileName: null },
      'orgName: required unless returnOnly is true',
      'fileName: required unless returnOnly is true',
    )
  })

  test.each([
    ['returnOnly', 'yes', 'must be a boolean'],
    ['orgName', 7, 'must be a string'],
    ['fileName', 7, 'must be a string'],
    ['orgName', `/${org}`, slashes],
    ['orgName', `${org}/`, slashes],
    ['orgName', 'multi', 'must not start with the reserved name multi'],
    ['orgName', 'status/team', 'must not start with the reserved name status'],
    ['fileName', '/people', slashes],
    ['fileName', 'people/', slashes],
    ['fileName', 'a//b', 'must have segments of 1 to 200 bytes'],
    ['fileName', '', 'must have segments of 1 to 200 bytes'],
    ['fileName', 'a/../b', 'must not have a segment that starts with a dot'],
    ['fileName', '.hidden', 'must not have a segment that starts with a dot'],
    ['fileName', 'a\\b', 'must not contain control characters, backslashes or %'],
    ['fileName', 'a%2Fb', 'must not contain control characters, backslashes or %'],
    ['fileName', 'a\nb', 'must not contain control characters, backslashes or %'],
    ['fileName', 'e\u0301', 'must be valid Unicode in normalization form C'],
    ['fileName', 'a\ud800', 'must be valid Unicode in normalization form C'],
    ['fileName', 'peoplePart1of2', 'must not be the name of a part (Part#of#)'],
  ])('%s must not be %j', async (field, value, message) => {
    await refuses({ [field]: value }, `${field}: ${message}`)
  })

  test('fileName allows segments of 200 bytes, and 900 bytes together with orgName', async () => {
    const [tooLong, longest] = ['é'.repeat(101), 'é'.repeat(100)]
    await refuses({ fileName: `a/${tooLong}` }, 'fileName: must have segments of 1 to 200 bytes')
    const fileName = [...Array(4).fill(longest), 'f'.repeat(900 - org.length - 1 - 4 * 201)].join('/')
    await refuses({ fileName: `${fileName}f` }, 'fileName: must be at most 900 bytes together with orgName')
    // The name is valid, so the lookup of an org of the same length fails instead.
    const orgName = 'x'.repeat(org.length)
    const message = `orgName: "${orgName}" does not exist; create it with POST /1.0/publish/{orgName}`
    expectRefused(await client.post('/1.0/publish/', { ...request, orgName, fileName }), 404, message)
  })

  test.each(['', '-a', 'a b', 'a//b', '.a', 'a/.b', 'a'.repeat(64), 'a/b/c/d/e/f/g/h/i', 'ä'])(
    'orgName must not be %j',
    async (orgName) => {
      const form =
        'must be 1 to 8 segments joined by /, each a letter or digit followed by up to 62 of A-Z a-z 0-9 . _ -'
      await refuses({ orgName }, `orgName: ${form}`)
    },
  )
})

describe('search options', () => {
  test.each(['searchIdField', 'searchFilter'])('%s must be a name that a statement can hold', async (field) => {
    await refuses({ searchIdField: 'id', [field]: 7 }, `${field}: must be a string`)
    await refuses({ searchIdField: 'id', [field]: 'a\\b' }, `${field}: ${badName}`)
  })

  test('preventSearch must be a list of names that a statement can hold', async () => {
    await refuses({ searchIdField: 'id', preventSearch: 'Hidden' }, 'preventSearch: must be an array')
    await refuses(
      { searchIdField: 'id', preventSearch: [7, ''] },
      'preventSearch[0]: must be a string',
      `preventSearch[1]: ${badName}`,
    )
  })

  test('searchFilter and preventSearch need searchIdField', async () => {
    await refuses(
      { searchFilter: 'Person', preventSearch: ['Hidden'] },
      'searchFilter: needs searchIdField',
      'preventSearch: needs searchIdField',
    )
  })
})

describe('additive options', () => {
  test.each(choiceFields)('%s must be one of %s', async (field, values) => {
    for (const value of ['other', '', 7]) await refuses({ [field]: value }, `${field}: must be one of ${values}`)
  })
})

describe('unknown fields', () => {
  test.each(misspelledFields)(
    'the unknown field %s is refused with the closest known name, %s, even when it is null',
    async (field, known) => {
      await refuses({ [field]: true }, `${field}: unknown field, did you mean \`${known}\`?`)
      await refuses({ [field]: null }, `${field}: unknown field, did you mean \`${known}\`?`)
    },
  )

  test.each(unknownFields)('the unknown field %s has no close known name', async (field) => {
    await refuses({ [field]: true }, `${field}: unknown field`)
  })
})

test.each(['[]', '[{}]', 'null', '"text"', '7'])('the body must be an object, not %s', async (body) => {
  expectRefused(await client.post('/1.0/publish/', body), 400, 'the body must be a JSON object, a publish request')
})

test('null is the same as absent for every optional field', async () => {
  const optional = [
    ...['index', 'relationshipIds', 'hardFilterRelationships', 'toLayer', 'relationships', 'preventCleanup'],
    ...['relationshipIdField', 'deleteProperties', 'timestampRelationships', 'timestampProperty', 'targetFilter'],
    ...['relationshipDeleteOnly', 'deleteRelationshipById', 'protectedNodeProperties', 'dynamicLabels'],
    ...['protectedRelationshipProperties', 'postbackTimestamp', 'returnOnly', 'searchIdField', 'searchFilter'],
    ...['preventSearch', 'parameterSyntax', 'onUnpublishable', 'numbers', 'compression'],
  ]
  // One rule is broken on purpose: its error alone shows that all the nulls were accepted.
  await refuses(
    { ...Object.fromEntries(optional.map((field) => [field, null])), fileName: null },
    'fileName: required unless returnOnly is true',
  )
})

test('a request that breaks a rule of every group gets all errors, the errors of fields first', async () => {
  await refuses(
    {
      dbUrl: 'neo4j+ssc://db.example',
      credentials: undefined,
      mappedIndices: { DEFAULT_INDEX: 'Person' },
      index: 'Actor',
      originIds: manyIds(501),
      relationships: ['<KNOWS>'],
      relationshipIds: ['r1'],
      timestampRelationships: true,
      postbackTimestamp: true,
      preventCleanUp: true,
      searchFilter: 'Person',
      orgName: 'status',
      fileName: undefined,
      numbers: 'exact',
    },
    'dbUrl: must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
    'orgName: must not start with the reserved name status',
    'relationships[0]: must be TYPE, TYPE> (outgoing), <TYPE (incoming) or `TYPE`',
    'preventCleanUp: unknown field, did you mean `preventCleanup`?',
    'numbers: must be one of plain, strict',
    'credentials: required',
    'mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes',
    'index: must be a label in mappedIndices or the value of DEFAULT_INDEX',
    'originIds: at most 500 ids, originIds and relationshipIds together; there are 502, use POST /1.0/publish/multi',
    'relationshipIdField: required when relationshipIds are given',
    'timestampProperty: required when timestampRelationships is true',
    'timestampProperty: required when postbackTimestamp is true',
    'searchFilter: needs searchIdField',
    'fileName: required unless returnOnly is true',
  )
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
