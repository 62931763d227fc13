import { describe, expect, test } from 'vitest'
import { badName, expectRefused, startFromValid } from '../support/clients/refusals.ts'

const { client, org } = await startFromValid()
const partName = 'must not be the name of a part (Part#of#)'
const orgForm = 'must be 1 to 8 segments joined by /, each a letter or digit followed by up to 62 of A-Z a-z 0-9 . _ -'
const noOrg = (name: string) => `orgName: "${name}" does not exist; create it with POST /1.0/publish/{orgName}`
const wholeBody = 'the body must be a JSON object, a publish request'
const fiveSegments = Array(5).fill('f'.repeat(179)).join('/')

describe('delete', () => {
  const defaults = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
  const valid = { mappedIndices: defaults, index: 'Person', originIds: ['1', 'x'], fileName: 'refused' }
  const post = (change: object, inOrg = org) => client.post(`/1.0/publish/${inOrg}/delete`, { ...valid, ...change })

  test.each(['mappedIndices', 'originIds', 'index'])('the delete endpoint needs %s', async (field) => {
    expectRefused(await post({ [field]: null }), 400, `${field}: required`)
    expectRefused(await post({ [field]: undefined }), 400, `${field}: required`)
  })

  test.each([undefined, null, false])(
    'the delete endpoint needs fileName when returnOnly is %j',
    async (returnOnly) => {
      expectRefused(await post({ returnOnly, fileName: null }), 400, 'fileName: required unless returnOnly is true')
    },
  )

  test.each([
    [{ originIds: 'x' }, 'originIds: must be an array'],
    [{ originIds: ['x', 7] }, 'originIds[1]: must be a string'],
    [{ originIds: [] }, 'originIds: must not be empty'],
    [{ index: 'a\\b' }, `index: ${badName}`],
    [{ index: 'Actor' }, 'index: must be a label in mappedIndices or the value of DEFAULT_INDEX'],
    [
      { mappedIndices: { Person: 'id' } },
      'mappedIndices.DEFAULT_INDEX: required, the label of originIds; mappedIndices.DEFAULT_ID_FIELD: required, the property that identifies its nodes',
    ],
    [
      { mappedIndices: { ...defaults, Person: 'name' } },
      'mappedIndices.Person: must agree with DEFAULT_ID_FIELD, as DEFAULT_INDEX names this label',
    ],
    [{ returnOnly: 'yes' }, 'returnOnly: must be a boolean'],
    [{ fileName: '/a' }, 'fileName: must not start or end with a slash'],
    [{ fileName: 'aPart1of1' }, `fileName: ${partName}`],
    [{ fileName: fiveSegments }, 'fileName: must be at most 900 bytes together with orgName'],
    [{ idType: 'float' }, 'idType: must be one of string, integer'],
    [{ idType: 'integer' }, 'originIds: "x" is not a 64-bit integer, as idType says'],
    [{ originIds: ['1', '01'], idType: 'integer' }, 'originIds: "01" is not a 64-bit integer, as idType says'],
    [
      { originIds: ['9223372036854775808'], idType: 'integer' },
      'originIds: "9223372036854775808" is not a 64-bit integer, as idType says',
    ],
    [
      { metadata: 'yes', dbUrl: 'neo4j+ssc://h' },
      'metadata: must be a boolean; dbUrl: must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
    ],
    [{ idtype: 'integer' }, 'idtype: unknown field, did you mean `idType`?'],
    [{ originId: ['x'] }, 'originId: unknown field, did you mean `originIds`?'],
  ])('the delete endpoint refuses %j', async (change, message) => {
    expectRefused(await post(change), 400, message)
  })

  test('the delete endpoint reports all broken rules together, including those of the path', async () => {
    expectRefused(
      await client.post('/1.0/publish/-a/delete', { index: 'Person', Index: 1 }),
      400,
      `orgName: ${orgForm}; Index: unknown field, did you mean \`index\`?; mappedIndices: required; originIds: required; fileName: required unless returnOnly is true`,
    )
    expectRefused(await client.post(`/1.0/publish/${org}/delete`, []), 400, wholeBody)
  })

  test('the delete endpoint needs an existing org', async () => {
    expectRefused(await post({}, 'nowhere-at-all'), 404, noOrg('nowhere-at-all'))
  })
})

describe('createrelationships', () => {
  const valid = {
    startIndex: 'Person',
    startIdField: 'id',
    endIndex: 'Movie',
    endIdField: 'title',
    type: 'LIKES',
    fileName: 'refused',
    idPairs: [{ startId: '1', endId: 'x' }],
  }
  const post = (change: object, inOrg = org) =>
    client.post(`/1.0/publish/${inOrg}/createrelationships`, { ...valid, ...change })

  test.each(Object.keys(valid))('the createrelationships endpoint needs %s', async (field) => {
    expectRefused(await post({ [field]: null }), 400, `${field}: required`)
    expectRefused(await post({ [field]: undefined }), 400, `${field}: required`)
    expectRefused(await post({ [field]: 7 }), 400, `${field}: must be ${field === 'idPairs' ? 'an array' : 'a string'}`)
  })

  test.each(['startIndex', 'startIdField', 'endIndex', 'endIdField', 'type'])(
    'the field %s of createrelationships must be a name that a statement can hold',
    async (field) => {
      for (const name of ['', 'a\\b', 'a\nb', '\ud800']) {
        expectRefused(await post({ [field]: name }), 400, `${field}: ${badName}`)
      }
    },
  )

  test.each([
    [{ idPairs: [] }, 'idPairs: must have at least one pair'],
    [{ idPairs: ['a'] }, 'idPairs[0]: must be an object'],
    [{ idPairs: [{}] }, 'idPairs[0].startId: required; idPairs[0].endId: required'],
    [{ idPairs: [{ startId: 1, endId: null }] }, 'idPairs[0].startId: must be a string; idPairs[0].endId: required'],
    [{ idPairs: [{ startId: 'a', endId: 'b', weight: 1 }] }, 'idPairs[0].weight: unknown field'],
    [{ startIdType: 'float' }, 'startIdType: must be one of string, integer'],
    [{ endIdType: 'integer' }, 'idPairs[0]: has an id that is not a 64-bit integer, as its type says'],
    [{ idPairs: [{ startId: '\ud800', endId: 'b' }] }, 'idPairs[0].startId: must not hold a lone surrogate'],
    [{ parameterSyntax: 'curly' }, 'parameterSyntax: must be one of braces, dollar'],
    [{ fileName: '/a' }, 'fileName: must not start or end with a slash'],
    [{ fileName: 'aPart1of1' }, `fileName: ${partName}`],
    [{ fileName: fiveSegments }, 'fileName: must be at most 900 bytes together with orgName'],
    [{ returnOnly: true }, 'returnOnly: unknown field'],
    [{ startindex: 'A' }, 'startindex: unknown field, did you mean `startIndex`?'],
  ])('the createrelationships endpoint refuses %j', async (change, message) => {
    expectRefused(await post(change), 400, message)
  })

  test('the createrelationships endpoint reports all broken rules together, including those of the path', async () => {
    expectRefused(
      await post({ startIndex: '', type: null, idPairs: [{}], idPair: [] }, '-a'),
      400,
      `orgName: ${orgForm}; startIndex: ${badName}; type: required; idPairs[0].startId: required; idPairs[0].endId: required; idPair: unknown field, did you mean \`idPairs\`?`,
    )
  })

  test('the createrelationships endpoint needs an object as its body, and an existing org', async () => {
    expectRefused(await client.post(`/1.0/publish/${org}/createrelationships`, []), 400, 'the body must be an object')
    expectRefused(await post({}, 'nowhere-at-all'), 404, noOrg('nowhere-at-all'))
  })
})

test('the refused requests of this file left nothing to read', async () => {
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
