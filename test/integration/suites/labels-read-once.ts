import { expect, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { defaultSizes, nothingLearned } from '../../../shared/read/reading.ts'
import { readRelationshipRows } from '../../../shared/read/relationship-rows.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'

const relationships = 3_000
const leastSwaps = 100

/** Reads the far end of many relationships while another transaction swaps its label as fast as it can. */
export function identifiesByOneLook(version: string, address: Neo4jAddress): void {
  test(`${version}: a far end whose label is swapped while it is read never gets the id of its other label`, async () => {
    const [near, a, b] = [uniqueName('Near'), uniqueName('A'), uniqueName('B')]
    const driver = openDriver(address)
    const port = Number(new URL(address.boltUrl).port)
    const { request } = parsePublishRequest({ ...database(address, a, 'a', { [b]: 'b' }), originIds: ['of A'] })
    const origin = await openOrigin(
      request,
      {
        allow: [{ kind: 'network', address: '127.0.0.1', prefix: 32, family: 'ipv4', port }],
        port,
        silenceSeconds: 60,
        stallSeconds: 60,
        dnsServers: null,
      },
      120,
    )
    let isRead = false
    let swaps = 0
    async function swap(): Promise<void> {
      while (!isRead) {
        for (const [from, to] of [
          [a, b],
          [b, a],
        ])
          await run(driver, `MATCH (m:${from}) REMOVE m:${from} SET m:${to}`)
        swaps++
      }
    }
    try {
      await run(driver, `CREATE (:${a} {a: 'of A', b: 'of B'})`)
      const each = `UNWIND range(1, ${relationships}) AS i CREATE (:${near} {id: i})-[:AT]->(m)`
      await run(driver, `MATCH (m:${a}) ${each}`)
      const reading = { origin, plan: planOf(request), sizes: { ...defaultSizes, group: 10_000 }, ...nothingLearned() }
      const swapping = swap()
      const seen = new Set<string>()
      for (const deadline = Date.now() + 60_000; swaps < leastSwaps && Date.now() < deadline; ) {
        const asked = { match: `MATCH (n:${near})-[r:AT]->(m)`, parameters: {} }
        const found = await readRelationshipRows(reading, { type: 'AT', direction: 'out' }, asked)
        expect(found?.elements.length).toBe(relationships)
        for (const { far } of found?.elements ?? []) seen.add(`${far.properties.text('a')} ${far.properties.text('b')}`)
        found?.release()
      }
      isRead = true
      await swapping
      expect([...seen].sort()).toEqual(['null of B', 'of A null'])
    } finally {
      isRead = true
      await origin.close()
      await run(driver, `MATCH (n:${near}) DETACH DELETE n`)
      await driver.close()
    }
  }, 180_000)
}
