import type { Driver } from 'neo4j-driver'
import { run } from '../../../dev/replay/neo4j.ts'

/** People who are found fast enough without an index. Each new constraint makes Neo4j plan all queries again. */
const mostWithoutConstraint = 500

/** Creates `count` people `p1`… in a ring of KNOWS; if they are many, with a constraint on their id. Each has `marker`. */
export async function drawRing(driver: Driver, label: string, count: number, marker = 'first'): Promise<string[]> {
  if (count > mostWithoutConstraint)
    await run(driver, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  await run(
    driver,
    `UNWIND range(1, $count) AS i MERGE (n:\`${label}\` {id: 'p' + i}) SET n.rank = i, n.marker = $marker`,
    {
      count: BigInt(count),
      marker,
    },
  )
  const next = `MATCH (b:\`${label}\` {id: 'p' + (a.rank % $count + 1)})`
  await run(driver, `MATCH (a:\`${label}\`) ${next} MERGE (a)-[r:KNOWS]->(b) SET r.since = a.rank`, {
    count: BigInt(count),
  })
  return Array.from({ length: count }, (_, index) => `p${index + 1}`)
}
