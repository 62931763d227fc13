import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

test('hardFilterRelationships requires the ends of every relationship among the origin ids', async () => {
  const label = uniqueName('P')
  await run(
    from,
    `CREATE (a:${label} {id: 'a'})-[:T {grn: 'hard1'}]->(b:${label} {id: 'b'}), (a)-[:T {grn: 'hard2'}]->(a)`,
  )
  const request = {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    relationshipIds: ['hard1', 'hard2'],
    relationshipIdField: 'grn',
    preventCleanup: true,
    hardFilterRelationships: true,
  }
  const refused = await client.post('/1.0/publish/', { ...request, originIds: ['a'] })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    '400 Bad Request: hardFilterRelationships: a node on either side is missing from originIds for the relationshipIds "hard1"',
  ])
  expect((await client.post('/1.0/publish/', { ...request, originIds: ['a', 'b'] })).status).toBe(200)
})

test('the error for a relationship without its id names the relationship', async () => {
  const label = uniqueName('P')
  await run(from, `CREATE (a:${label} {id: 'a'})-[:T]->(a)`)
  const request = {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    originIds: ['a'],
    relationships: ['T'],
    relationshipIdField: 'grn',
  }
  const { status, body } = await client.post('/1.0/publish/', request)
  expect([status, body.error?.replace(/\d+ of/, 'N of')]).toEqual([
    422,
    '422 Unprocessable Entity: the relationship N of type "T" has no property "grn", the relationshipIdField',
  ])
})

test('search ids are the ids of targeted nodes with the filter label and without a preventing one', async () => {
  const label = uniqueName('P')
  await run(
    from,
    `CREATE (:${label}:F {id: 'a', s: 'sa'}), (:${label} {id: 'b', s: 'sb'}), (:${label}:F:X {id: 'c', s: 'sc'}), (:${label}:F {id: 'd'}), (:${label}:F {id: 'e', s: 5})`,
  )
  const request = {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    originIds: ['a', 'b', 'c', 'd', 'e'],
    searchIdField: 's',
  }
  const idsOf = async (more: object) => {
    const { body } = await client.post('/1.0/publish/', { ...request, ...more })
    const metadata = body.transactionRequest?.statements.at(-1)?.metadata
    return (metadata?.updatedIds as string[] | undefined)?.toSorted()
  }
  expect(await idsOf({ metadata: true })).toEqual(['5', 'sa', 'sb', 'sc'])
  expect(await idsOf({ metadata: true, searchFilter: 'F', preventSearch: ['X'] })).toEqual(['5', 'sa'])
  expect(await idsOf({ relationships: ['T'], searchFilter: 'F' })).toEqual(['5', 'sa', 'sc'])
  expect(await idsOf({ metadata: true, searchIdField: 'id' })).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a relationship whose type no statement can name is found, and its type is never run as query text', async () => {
  const [label, id] = [uniqueName('P'), uniqueName('r')]
  // The type contains an escaped backtick, which would end the quoting if used in a query.
  await run(from, `CREATE (a:${label} {id: 'a'})-[:\`X\\u005Cu0060]\` {grn: $id}]->(a)`, { id })
  const request = {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    metadata: true,
    relationshipIds: [id],
    relationshipIdField: 'grn',
    preventCleanup: true,
  }
  const refused = await client.post('/1.0/publish/', request)
  expect([refused.status, refused.body.error?.replace(/\d+ of/, 'N of')]).toEqual([
    422,
    '422 Unprocessable Entity: the relationship N of type "X\\u0060]" is of a type that no statement can name',
  ])
  const { body } = await client.post('/1.0/publish/', { ...request, originIds: ['a'], onUnpublishable: 'skip' })
  expect(body.error).toBeNull()
  expect(body.transactionRequest?.statements.at(-1)?.metadata).toMatchObject({
    skipped: { relationships: 1, nodes: 0 },
  })
})

test('a publish fails at once although its error has a name in which Redis refuses commands', async () => {
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const label = `BUSY ${uniqueName('P')}`
  const request = { ...database(neo4j, label, 'OOM'), orgName: org, fileName: 'f', originIds: ['a'], metadata: true }
  const { status, body } = await client.post('/1.0/publish/', request, { Prefer: 'wait=20' })
  expect([status, body.error]).toEqual([
    422,
    `422 Unprocessable Entity: originIds: the origin has no node with the label "${label}" and the property "OOM"`,
  ])
})
