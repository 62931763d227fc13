import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { answeredPairs } from '../support/replay/answered-pairs.ts'

/** Internal ids depend on the store format: the block format numbers relationships from about 2^60. */

const { neo4j } = inject('stack')
const largeIds = inject('largeIds')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
const people = 60
await run(driver, `UNWIND range(0, ${people - 1}) AS i CREATE (:${label} {id: 'p' + i})`)
await run(
  driver,
  `MATCH (a:${label}), (b:${label}) WHERE a.id = 'p0' AND b <> a
   CREATE (a)-[:KNOWS {grn: '${label}' + b.id, since: CASE b.id WHEN 'p7' THEN date('2020-01-01') ELSE 2020 END}]->(b)`,
)

const publish = async (fields: object) => {
  const request = { ...database(largeIds, label, 'id'), returnOnly: true, ...fields }
  return answeredPairs(await client.post('/1.0/publish/', request))
}

const isUpsert = ({ statement }: { statement: string }) => statement.includes('MERGE (a)-[r:')

test('every relationship of a node is published with its own properties', async () => {
  const pairs = (await publish({ originIds: ['p0'], relationships: ['KNOWS>'], relationshipIdField: 'grn' })).filter(
    isUpsert,
  )
  const ends = pairs.map(({ parameters }) => [parameters.b_id, parameters.grn, parameters.since])
  const expected = Array.from({ length: people - 1 }, (_, index) => `p${index + 1}`).map((id) => [
    id,
    label + id,
    id === 'p7' ? '2020-01-01' : 2020n,
  ])
  expect(ends.sort()).toEqual(expected.sort())
})

test('a cleanup keeps every far end', async () => {
  const pairs = await publish({ originIds: ['p0'], relationships: ['KNOWS>'] })
  const kept = pairs.flatMap(({ statement, parameters }) => (statement.includes('DELETE r') ? parameters.ids_0 : []))
  expect(kept).toHaveLength(people - 1)
})

test('nodes reached by toLayer are published once each', async () => {
  const pairs = await publish({ originIds: ['p0'], toLayer: ['KNOWS>'], metadata: true, relationships: ['<KNOWS'] })
  const nodes = pairs.filter(({ statement }) => statement.startsWith('MERGE (n:'))
  expect(new Set(nodes.map(({ parameters }) => parameters.id)).size).toBe(people - 1)
  expect(pairs.filter(isUpsert).length).toBe(people - 1)
})

test('relationships are found by their own ids', async () => {
  const relationshipIds = ['p7', 'p8', 'p9', 'p10'].map((id) => label + id)
  const pairs = await publish({ relationshipIds, relationshipIdField: 'grn', preventCleanup: true, metadata: true })
  expect(
    pairs
      .filter(isUpsert)
      .map(({ parameters }) => parameters.grn)
      .sort(),
  ).toEqual(relationshipIds.sort())
})
