import fc from 'fast-check'
import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'

const { neo4j, target } = inject('stack') as Record<'neo4j' | 'target', Neo4jAddress>
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [origin, copy] = [openDriver(neo4j), openDriver(target)]
afterAll(() => Promise.all([origin.close(), copy.close()]))

const isLong = inject('isLong')
const [label, type] = [uniqueName('Exchange'), uniqueName('EXCHANGE')]
const ids = Array.from({ length: 8 }, (_, index) => `${index}`)

/** A graph whose names are unique among the nodes, and whose grns and codes are unique among the relationships. */
const graphs = fc.record({
  names: fc.shuffledSubarray([...ids, 'new', 'other'], { minLength: ids.length, maxLength: ids.length }),
  relationships: fc.uniqueArray(
    fc.record({ grn: fc.nat(11), code: fc.nat(11), a: fc.constantFrom(...ids), b: fc.constantFrom(...ids) }),
    { selector: ({ grn }) => grn, minLength: 3 },
  ),
})

type Graph = typeof graphs extends fc.Arbitrary<infer T> ? T : never

async function setOrigin({ names, relationships }: Graph): Promise<void> {
  await run(origin, `MATCH (n:${label}) DETACH DELETE n`)
  const nodes = ids.map((id, index) => ({ id, name: names[index] }))
  await run(origin, `UNWIND $nodes AS node CREATE (n:${label}) SET n = node`, { nodes })
  const codes = new Set<number>()
  const rows = relationships
    .filter(({ code }) => !codes.has(code) && codes.add(code))
    .map(({ grn, code, ...ends }) => ({ ...ends, properties: { grn: BigInt(grn), code: BigInt(code) } }))
  const match = `MATCH (a:${label} {id: row.a}) MATCH (b:${label} {id: row.b})`
  await run(origin, `UNWIND $rows AS row ${match} CREATE (a)-[r:${type}]->(b) SET r = row.properties`, { rows })
}

test('unique values and ids that move between elements arrive in every replay, whatever moves', {
  timeout: 300_000,
}, async () => {
  for (const property of ['id', 'name'])
    await run(copy, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.${property} IS UNIQUE`)
  for (const property of ['grn', 'code'])
    await run(copy, `CREATE CONSTRAINT FOR ()-[r:${type}]-() REQUIRE r.${property} IS UNIQUE`)
  const request = {
    ...database(neo4j, label, 'id'),
    originIds: ids,
    metadata: true,
    relationships: [type],
    relationshipIdField: 'grn',
    returnOnly: true,
    parameterSyntax: 'dollar',
  }
  const seed = Math.floor(Math.random() * 2 ** 31)
  console.log(`exchanged values: seed ${seed}`)
  const property = fc.asyncProperty(graphs, fc.integer({ min: 1, max: 30 }), async (graph, size) => {
    await setOrigin(graph)
    const pairs = answeredPairs(await client.post('/1.0/publish/', request))
    const parts = Array.from({ length: Math.ceil(pairs.length / size) }, (_, at) =>
      pairs.slice(at * size, (at + 1) * size),
    )
    const source = sourceOf(...parts)
    expect(await replayed(source, target, { windowBytes: 1_000 })).toMatchObject({ rejected: 0 })
    expect(differences(await readGraph(origin, label), await readGraph(copy, label))).toEqual([])
    expect(await verified(source, target)).toMatchObject({ differing: 0 })
  })
  await fc.assert(property, { seed, numRuns: isLong ? 200 : 8, endOnFailure: true })
  await run(origin, `MATCH (n:${label}) DETACH DELETE n`)
})
