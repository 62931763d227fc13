import { describe, expect, test } from 'vitest'
import { expectRefused, manyIds, startFromValid } from '../support/clients/refusals.ts'

const { client, org, request } = await startFromValid()
const { orgName: _org, fileName: _file, ...nameless } = request
const knows = { ...request, metadata: undefined, relationships: ['KNOWS'] }
const byId = {
  ...request,
  metadata: undefined,
  relationshipIds: ['r'],
  relationshipIdField: 'grn',
  preventCleanup: true,
}

async function refuses(body: unknown, message: string, query = '') {
  expectRefused(await client.post(`/1.0/publish/multi${query}`, body), 400, message)
}

describe('the sub-requests', () => {
  const bounds = 'the body must be an array of 1 to 10000 publish requests'

  test.each([
    ['none', []],
    ['an object', {}],
    ['null', null],
    ['a text', '"text"'],
    ['10,001', Array(10_001).fill({})],
  ])('the sub-requests of a multi are a list of 1 to 10,000, not %s', async (_what, body) => {
    await refuses(body, bounds)
  })

  test('the sub-requests of a multi may be 10,000: then only their own rules apply', async () => {
    const { status, body } = await client.post('/1.0/publish/multi', [...Array(9_999).fill(request), 7])
    expect([status, body.error]).toEqual([400, '400 Bad Request: [9999]: must be a JSON object, a publish request'])
  })

  test('errors name the sub-requests of a multi by their index', async () => {
    await refuses(
      [
        request,
        { ...request, originIds: manyIds(501), preventCleanUp: true },
        null,
        { ...request, dbUrl: 'neo4j+ssc://h' },
      ],
      [
        '[1].preventCleanUp: unknown field, did you mean `preventCleanup`?',
        '[1].originIds: at most 500 ids, originIds and relationshipIds together; there are 501, use POST /1.0/publish/multi',
        '[2]: must be a JSON object, a publish request',
        '[3].dbUrl: must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
      ].join('; '),
    )
  })

  test('the sub-requests of a multi have up to a thousand broken rules reported', async () => {
    const broken = (count: number) => Array(count).fill({ ...request, dbURL: 1, originIds: Array(9).fill(1) })
    const { status, body } = await client.post('/1.0/publish/multi', broken(99))
    expect(status).toBe(400)
    expect(body.error?.match(/\[\d+\]\.originIds\[\d+\]: must be a string/g)?.length).toBe(891)
    expect(body.error?.match(/\[\d+\]\.dbURL: unknown field, did you mean `dbUrl`\?/g)?.length).toBe(99)
    const more = await client.post('/1.0/publish/multi', broken(10_000))
    expect([more.status, more.body.error]).toEqual([
      400,
      expect.stringMatching(/the 9900 sub-requests after \[99\] were not checked, as too many rules are broken; \[0\]/),
    ])
  })
})

describe('query parameters', () => {
  const bounds = 'must be a whole number from 1 to 5000'

  test.each([
    ['batchsize=0', `batchsize: ${bounds}`],
    ['batchsize=5001', `batchsize: ${bounds}`],
    ['batchsize=-1', `batchsize: ${bounds}`],
    ['batchsize=1.5', `batchsize: ${bounds}`],
    ['batchsize=1e3', `batchsize: ${bounds}`],
    ['batchsize=all', `batchsize: ${bounds}`],
    ['batchsize=', `batchsize: must not be empty; batchsize: ${bounds}`],
    ['batchsize', `batchsize: must not be empty; batchsize: ${bounds}`],
    ['batchsize=1&batchsize=2', 'batchsize: must be given once'],
    ['batchSize=0', `batchSize: ${bounds}`],
    ['batchSize=5001', `batchSize: ${bounds}`],
    ['batchsize=10&batchSize=11', 'batchsize: must not differ from batchSize'],
    ['forceOverwrite=yes', 'forceOverwrite: must be one of true, false'],
    ['forceOverwrite=TRUE', 'forceOverwrite: must be one of true, false'],
    ['forceOverwrite=', 'forceOverwrite: must not be empty; forceOverwrite: must be one of true, false'],
    ['forceOverwrite=true&forceOverwrite=true', 'forceOverwrite: must be given once'],
    ['forceoverwrite=true', 'forceoverwrite: unknown field, did you mean `forceOverwrite`?'],
    ['BATCHSIZE=10', 'BATCHSIZE: unknown field, did you mean `batchsize`?'],
    ['lifetime=10', 'lifetime: unknown field'],
  ])('the query ?%s of a multi is refused', async (query, message) => {
    await refuses([request], message, `?${query}`)
  })

  test('errors of query parameters are reported together with the errors of the body', async () => {
    await refuses(
      [{ ...request, metadata: 1 }],
      'batchsize: must not differ from batchSize; [0].metadata: must be a boolean',
      '?batchsize=10&batchSize=11',
    )
  })
})

describe('names', () => {
  const once = 'required in at least one sub-request unless returnOnly is true'

  test.each([
    ['given by none', [nameless, nameless], `orgName: ${once}; fileName: ${once}`],
    ['without fileName', [{ ...nameless, orgName: org }, nameless], `fileName: ${once}`],
    [
      'that differ',
      [nameless, request, { ...request, orgName: 'other', fileName: 'others' }],
      '[2].orgName: must be the same as in [1]; [2].fileName: must be the same as in [1]',
    ],
    [
      'too long together, though apart',
      [
        { ...nameless, orgName: org },
        { ...nameless, fileName: Array(5).fill('f'.repeat(179)).join('/') },
      ],
      'fileName: must be at most 900 bytes together with orgName',
    ],
    [
      'too long together in one',
      [nameless, { ...request, fileName: Array(5).fill('f'.repeat(179)).join('/') }],
      '[1].fileName: must be at most 900 bytes together with orgName',
    ],
    [
      'one of them not a name',
      [request, { ...nameless, fileName: '/a' }],
      '[1].fileName: must not start or end with a slash',
    ],
  ])('names of a multi are refused: %s', async (_what, body, message) => {
    await refuses(body, message)
  })
})

describe('sub-requests must agree', () => {
  const stamped = { ...knows, timestampRelationships: true, timestampProperty: 'at' }

  test.each([
    ['returnOnly', request, { returnOnly: true }],
    ['parameterSyntax', { ...request, parameterSyntax: 'braces' }, { parameterSyntax: 'dollar' }],
    ['mappedIndices.Movie', request, { mappedIndices: { ...request.mappedIndices, Movie: 'name' } }],
    ['relationshipIdField', knows, { relationshipIdField: 'grn' }],
    ['relationshipIdField', byId, { relationshipIdField: 'id' }],
    ['timestampProperty', stamped, { timestampProperty: 'on' }],
    ['protectedRelationshipProperties', knows, { protectedRelationshipProperties: ['mine'] }],
    ['protectedNodeProperties', request, { protectedNodeProperties: ['secret'] }],
    ['deleteProperties', request, { deleteProperties: ['nick'] }],
    ['dynamicLabels', request, { dynamicLabels: { Person: ['Actor'] } }],
    ['deleteProperties', request, { index: 'Movie', toLayer: ['A'], deleteProperties: ['nick'] }],
  ])('sub-requests must agree on %s', async (field, first, change) => {
    await refuses([first, first, { ...first, ...change }], `[2].${field}: must be the same as in [0]`)
  })

  test('sub-requests must agree on timestamps of relationships that both publish', async () => {
    await refuses(
      [knows, stamped],
      '[1].timestampRelationships: must be the same as in [0]; [1].timestampProperty: must be the same as in [0]',
    )
  })

  test('sub-requests must agree on relationshipIdField if one has relationshipIds, which match any type', async () => {
    await refuses([knows, byId], '[1].relationshipIdField: must be the same as in [0]')
  })
})

test('the refused requests of this file left nothing to read', async () => {
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual([])
})
