import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { answeredPairs } from '../support/replay/answered-pairs.ts'

const { neo4j, legacy } = inject('stack') as { neo4j: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)

// More nodes than are read as a sample, so that later ones are read as columns.
const count = 120
const originIds = Array.from({ length: count }, (_, index) => String(index))

/**
 * Neo4j answers a property that an index was searched by with the value searched for instead of the stored one, even
 * inside of the node: 5 for 5.0.
 */
describe.each([
  { name: 'Neo4j 5', address: neo4j, unique: (label: string) => `FOR (n:${label}) REQUIRE n.id IS UNIQUE` },
  { name: 'Neo4j 3.5', address: legacy, unique: (label: string) => `ON (n:${label}) ASSERT n.id IS UNIQUE` },
])('an id that is stored as 5.0 and requested as 5 is published as 5.0, from $name', ({ address, unique }) => {
  const label = uniqueName('Float')
  const driver = openDriver(address)
  afterAll(async () => {
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    await driver.close()
  })

  // With the index of a constraint, which is complete when it has been created.
  beforeAll(() => run(driver, `CREATE CONSTRAINT ${unique(label)}`))

  test.each([{ metadata: true }, { relationships: ['T'] }])('the id keeps its type with %j', async (what) => {
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    await run(
      driver,
      `UNWIND range(0, ${count - 1}) AS i CREATE (n:${label} {id: toFloat(i)}) CREATE (n)-[:T]->(:${label} {id: -i - 0.5})`,
    )
    const fields = { ...database(address, label, 'id'), originIds, returnOnly: true, preventCleanup: true, ...what }
    const pairs = answeredPairs(await client.post('/1.0/publish/', fields))
    expect(pairs).toHaveLength(count)
    // Floats are numbers, integers are BigInts.
    const ids = pairs.map(({ parameters: { id, a_id } }) => id ?? a_id)
    expect(ids.filter((id) => typeof id !== 'number')).toEqual([])
  })
})

test('the own id of a relationship keeps its type as well, from Neo4j 5', async () => {
  const label = uniqueName('Float')
  const driver = openDriver(neo4j)
  await run(driver, `CREATE INDEX ${label} FOR ()-[r:${label}]-() ON (r.${label})`)
  await run(driver, 'CALL db.awaitIndex($label)', { label })
  await run(
    driver,
    `UNWIND range(0, ${count - 1}) AS i CREATE (:${label} {id: i})-[:${label} {${label}: toFloat(i)}]->(:${label} {id: -i - 1})`,
  )
  const fields = { ...database(neo4j, label, 'id'), relationshipIds: originIds, relationshipIdField: label }
  const answer = await client.post('/1.0/publish/', { ...fields, returnOnly: true, preventCleanup: true })
  const ids = answeredPairs(answer).map(({ parameters }) => parameters[label])
  expect(ids).toHaveLength(count)
  expect(ids.filter((id) => typeof id !== 'number')).toEqual([])
  await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
  await driver.close()
})
