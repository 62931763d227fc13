import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import { prepare } from '../support/clients/e2e.ts'
import { expectRefused, manyIds } from '../support/clients/refusals.ts'

const { client, org, ids, fields, driver, label } = await prepare(500)
const nodes = { ...fields, relationships: null, returnOnly: true }
const tooMany = (count: number) =>
  `originIds: at most 500 ids, originIds and relationshipIds together; there are ${count}, use POST /1.0/publish/multi`
const statementsOf = (part: unknown) => (part as { statements: unknown[] }).statements.length

// One node with 5,000 relationships: one node upsert, 5,000 relationship upserts and no cleanup make 5,001 pairs.
const hub = uniqueName('Hub')
await run(
  driver,
  `CREATE (h:\`${hub}\` {id: 'hub'}) WITH h UNWIND range(1, 5000) AS i CREATE (h)-[:HOLDS]->(:\`${hub}\` {id: 'leaf' + i})`,
)
await run(driver, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${hub}\`) REQUIRE n.id IS UNIQUE`)
const hubRequest = {
  ...fields,
  mappedIndices: { DEFAULT_INDEX: hub, DEFAULT_ID_FIELD: 'id' },
  originIds: ['hub'],
  relationships: ['HOLDS>'],
  preventCleanup: true,
  orgName: org,
}

test('500 ids are counted without duplicates', async () => {
  const all = await client.post('/1.0/publish/', { ...nodes, originIds: [...ids, ...ids, 'p1'] })
  expect([all.status, statementsOf(all.body.transactionRequest)]).toEqual([200, 500])
  const over = await client.post('/1.0/publish/', { ...nodes, originIds: [...ids, ...ids, 'other'] })
  expectRefused(over, 400, tooMany(501))
})

test('500 ids are counted over both lists together', async () => {
  // Relationships are searched in the whole database, which has relationships of other tests as well.
  const relationship = uniqueName('r')
  const request = { ...nodes, relationshipIdField: 'grn', preventCleanup: true, originIds: ids.slice(0, 250) }
  const enough = { ...request, relationshipIds: manyIds(250, relationship) }
  expect((await client.post('/1.0/publish/', enough)).status).toBe(200)
  const over = { ...request, relationshipIds: manyIds(251, relationship) }
  expectRefused(await client.post('/1.0/publish/', over), 400, tooMany(501))
  const alone = { ...request, originIds: null, relationshipIds: manyIds(501, relationship) }
  expectRefused(await client.post('/1.0/publish/', alone), 400, tooMany(501))
})

test('multi allows 500 ids for each sub-request', async () => {
  const request = { ...nodes, originIds: ids }
  const two = await client.post('/1.0/publish/multi', [request, request])
  expect([two.status, statementsOf(two.body.transactionRequest)]).toEqual([200, 1_000])
  const over = [request, { ...request, originIds: [...ids, 'other'] }, { ...request, originIds: manyIds(502) }]
  expectRefused(await client.post('/1.0/publish/multi', over), 400, `[1].${tooMany(501)}; [2].${tooMany(502)}`)
})

test('a part has 5,000 pairs: a publish of 5,001 makes two', async () => {
  const { status, body } = await client.post('/1.0/publish/', { ...hubRequest, fileName: 'hub' })
  expect([status, body.transactionRequest, body.fileLocation]).toEqual([200, null, null])
  expect(body.transactionRequests?.map(statementsOf)).toEqual([5_000, 1])
  expect(body.fileLocations?.length).toBe(2)
  const names = (await client.get(`/1.0/publish/${org}?filter=hub`)).body.fileNames
  expect(names).toEqual(['hubPart1of2', 'hubPart2of2'])
})

test.each([
  ['', 5_001, [5_000, 1]],
  ['?batchsize=5000', 5_001, [5_000, 1]],
  ['?batchSize=5000', 5_001, [5_000, 1]],
  ['?batchsize=4999&batchSize=4999', 5_001, [4_999, 2]],
  ['?batchsize=1', 3, [1, 1, 1]],
  ['?batchSize=1', 3, [1, 1, 1]],
])('multi%s splits %d pairs into parts', async (query, pairs, expected) => {
  const request = pairs === 3 ? { ...nodes, originIds: ids.slice(0, 3) } : { ...hubRequest, returnOnly: true }
  const { status, body } = await client.post(`/1.0/publish/multi${query}`, [{ ...request, orgName: null }])
  expect([status, body.transactionRequests?.map(statementsOf)]).toEqual([200, expected])
})

test('5,000 pairs make one part', async () => {
  const metadata = null
  const { body } = await client.post('/1.0/publish/', { ...hubRequest, metadata, returnOnly: true })
  expect([body.transactionRequests, statementsOf(body.transactionRequest)]).toEqual([null, 5_000])
})

test('a download URI lives 86,400 seconds by default, and as requested up to a week', async () => {
  const lifetimeOf = (uri: string | null) => new URL(uri as string).searchParams.get('X-Amz-Expires')
  const published = await client.post('/1.0/publish/', {
    ...nodes,
    returnOnly: false,
    originIds: ['p1'],
    orgName: org,
    fileName: 'signed',
  })
  expect(lifetimeOf(published.body.fileLocation)).toBe('86400')
  for (const [query, expected] of [
    ['', '86400'],
    ['?lifetime=1', '1'],
    ['?lifetime=604800', '604800'],
  ]) {
    const { body } = await client.get(`/1.0/publish/${org}/signed/url${query}`)
    expect(lifetimeOf(body.fileLocation)).toBe(expected)
  }
  const parts = await client.post('/1.0/publish/multi?batchsize=1', [
    { ...nodes, returnOnly: false, originIds: ['p1', 'p2'], orgName: org, fileName: 'signed-parts' },
  ])
  expect(parts.body.fileLocations?.map(lifetimeOf)).toEqual(['86400', '86400'])
  const again = await client.get(`/1.0/publish/${org}/signed-parts/url?lifetime=2`)
  expect(again.body.fileLocations?.map(lifetimeOf)).toEqual(['2', '2'])
})

test.each([true, false])(
  'hardFilterRelationships names ten relationships with a missing end, returnOnly %j',
  async (returnOnly) => {
    const grn = uniqueName('grn')
    await run(
      driver,
      `MATCH (a:\`${label}\` {id: 'p1'}), (b:\`${label}\` {id: 'p9'}) UNWIND range(1, 12) AS i CREATE (a)-[:HARD {grn: $grn + i}]->(b)`,
      { grn },
    )
    const answer = await client.post('/1.0/publish/', {
      ...fields,
      metadata: null,
      relationships: null,
      relationshipIdField: 'grn',
      preventCleanup: true,
      originIds: ['p1'],
      relationshipIds: manyIds(13, grn),
      hardFilterRelationships: true,
      returnOnly,
      orgName: org,
      fileName: 'hard',
    })
    const named = [...(answer.body.error ?? '').matchAll(/"([^"]+)"/g)].map(([, name]) => name)
    const list = named.map((name) => `"${name}"`).join(', ')
    const message = `hardFilterRelationships: a node on either side is missing from originIds for the relationshipIds ${list}`
    expectRefused(answer, 400, message)
    expect([new Set(named).size, named.every((name) => name?.startsWith(grn))]).toEqual([10, true])
  },
)
