import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, pairOf, relationshipUpsert, replayed, sourceOf } from '../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const driver = openDriver(target)
const label = uniqueName('Ordered')
afterAll(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await driver.close()
})

test('in the order of the packet, a relationship is not deleted by the cleanup of an earlier sub-request', async () => {
  // The first sub-request read a before the origin had the relationship, which the second one publishes.
  const cleanup = pairOf(`MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`KNOWS\`]->() DELETE r`, { baseId: 'a' })
  const source = sourceOf(
    [nodeUpsert(label, 'a'), cleanup],
    [nodeUpsert(label, 'b'), relationshipUpsert(label, 'a', 'b')],
  )
  const options = { inOrder: true, createConstraints: true }
  expect(await replayed(source, target, options)).toMatchObject({ lanes: 1, rows: 4, transactions: 4 })
  expect(await run(driver, `MATCH (:\`${label}\` {id: 'a'})-[r:KNOWS]->() RETURN count(r)`)).toEqual([[1n]])
})
