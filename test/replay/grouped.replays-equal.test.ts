import { expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { nodeUpsert, replayed, sourceOf } from '../support/replay/replaying.ts'
import { testGrouped } from './suites/grouped.ts'

testGrouped('braces', 'shuffled, and again')

test('thousands of rows are split into transactions of a thousand, with counters summed over all', async () => {
  const { target } = inject('stack') as { target: Neo4jAddress }
  const driver = openDriver(target)
  const label = uniqueName('Rows')
  await run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  const pairs = Array.from({ length: 2_001 }, (_, index) => nodeUpsert(label, `p${index}`))
  const { transactions, counters, ...report } = await replayed(sourceOf(pairs), target, { lanes: 1 })
  expect([transactions, report.rows, report.pairs.nodeUpsert, counters.nodesCreated]).toEqual([3, 2_001, 2_001, 2_001])
  expect((await replayed(sourceOf(pairs), target)).counters.nodesCreated).toBe(0)
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await driver.close()
})
