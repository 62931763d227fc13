import type { Driver } from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { drawMatrix, matrix } from '../../replay/type-matrix.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'

/** Every property of a kind gets the value of the next one, at the node and the relationship. */
async function rotate(driver: Driver, label: string): Promise<number> {
  let changed = 0
  for (const [kind, expressions] of Object.entries(matrix)) {
    const keys = ['a', 'r'].flatMap((it) => expressions.map((_, index) => ({ at: `${it}.${kind}${index}`, index })))
    const found = `MATCH (a:${label} {id: '${kind}'})-[r:T]->()`
    const changes = keys.map(({ at, index }) => `${at} = ${expressions[(index + 1) % expressions.length]}`)
    // First removed: a database does not replace 0.0 by -0.0.
    await run(driver, `${found} REMOVE ${keys.map(({ at }) => at).join(', ')}`)
    await run(driver, `${found} SET ${changes.join(', ')}`)
    changed += changes.length
  }
  return changed
}

/** Registers the test of a packet with values of every type, verified on one database. */
export function testTypesApart(name: 'Neo4j 5' | 'Neo4j 3.5'): void {
  const { neo4j, target, legacy } = inject('stack') as {
    neo4j: Neo4jAddress
    target: Neo4jAddress
    legacy: Neo4jAddress
  }
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens.all as string)
  const address = name === 'Neo4j 5' ? target : legacy
  const [origin, copy] = [openDriver(neo4j), openDriver(address)]
  afterAll(() => Promise.all([origin, copy].map((driver) => driver.close())))

  test(`each value of each type differs from its neighbours, and not from itself: ${name}`, async () => {
    const label = uniqueName('Types')
    const originIds = await drawMatrix(origin, label, 3)
    for (const numbers of address === legacy ? ['plain'] : ['plain', 'strict']) {
      const fields = { ...database(neo4j, label, 'id'), originIds, metadata: true, relationships: ['T'], numbers }
      const source = sourceOf(answeredPairs(await client.post('/1.0/publish/', { ...fields, returnOnly: true })))
      await replayed(source, address, { createConstraints: true })
      expect(await verified(source, address)).toMatchObject({ differing: 0, first: [] })
      const changed = await rotate(copy, label)
      const { differing, differences } = await verified(source, address)
      expect({ differing, differences }).toMatchObject({
        differing: 2 * Object.keys(matrix).length,
        differences: { propertyDiffers: changed, extraProperty: 0, missingNode: 0 },
      })
      await run(copy, `MATCH (n:${label}) DETACH DELETE n`)
    }
    await run(origin, `MATCH (n:${label}) DETACH DELETE n`)
  })
}
