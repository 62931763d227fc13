import { afterAll, describe, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair } from '../../packet/parts/parse-part.ts'
import { nodeUpsert, pairOf, relationshipUpsert, replayed, sourceOf } from '../support/replay/replaying.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const nodes = 2_500
const distances = [1, 7]

/** Each node has relationships to two others: in arbitrary batches, four lanes meet at nearly every node. */
function packet(label: string): Pair[] {
  const ids = Array.from({ length: nodes }, (_, index) => BigInt(index))
  const ends = ids.flatMap((id) => distances.map((distance) => [id, (id * 31n + BigInt(distance)) % BigInt(nodes)]))
  const cleanup = `MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`OLD\`]->() DELETE r`
  return shuffled(
    [
      ...ids.map((id) => nodeUpsert(label, id)),
      ...ends.map(([start, end]) => relationshipUpsert(label, start, end)),
      ...ids.map((baseId) => pairOf(cleanup, { baseId })),
    ],
    1,
  )
}

describe.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('%s', (_name, address) => {
  const driver = openDriver(address)
  afterAll(() => driver.close())

  /** Replays the packet. @returns how many of its transactions were repeated, as a share. */
  async function repeated(label: string): Promise<number> {
    const pairs = packet(label)
    const report = await replayed(sourceOf(pairs), address, { lanes: 4, batchRows: 250, createConstraints: true })
    expect(report.counters).toMatchObject({ nodesCreated: nodes, relationshipsCreated: 2 * nodes })
    const drawn = `MATCH (a:\`${label}\`)-[r:KNOWS {at: 1}]->(b:\`${label}\`) WHERE b.id IN [(a.id * 31 + 1) % ${nodes}, (a.id * 31 + 7) % ${nodes}]`
    expect(await run(driver, `${drawn} RETURN count(r), count(DISTINCT a), count(DISTINCT b)`)).toEqual([
      [BigInt(2 * nodes), BigInt(nodes), BigInt(nodes)],
    ])
    await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
    return report.retried / report.transactions
  }

  test('four lanes write a graph in which relationships share nodes, and repeat few transactions', async () => {
    // A constraint that another test creates at the same time makes every lane repeat a transaction.
    let share = 1
    for (let round = 0; round < 3 && share > 0.15; round++) share = await repeated(uniqueName('Sparse'))
    expect(share).toBeLessThanOrEqual(0.15)
  })
})
