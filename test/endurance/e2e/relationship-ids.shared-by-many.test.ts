import { expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')

test('ids shared by more relationships than a worker can hold are refused, without crashing the worker', async () => {
  const [label, id] = [uniqueName('P'), uniqueName('r')]
  const driver = openDriver(neo4j)
  const ends = `CREATE (a:${label} {id: 'a'}), (b:${label} {id: 'b'})`
  await run(driver, `${ends} WITH a, b UNWIND range(0, 200000) AS i CREATE (a)-[:T {grn: $id}]->(b)`, { id })
  await driver.close()
  const { status, body } = await createClient(apiUrl, tokens.all as string).post('/1.0/publish/', {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    relationshipIds: [id],
    relationshipIdField: 'grn',
    preventCleanup: true,
  })
  expect([status, body.error]).toEqual([
    413,
    '413 Payload Too Large: relationshipIds: more than 100000 relationships of the origin have these ids',
  ])
})
