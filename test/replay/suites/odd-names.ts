import type { Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { replayed, sourceOf } from '../../support/replay/replaying.ts'
import { openThreeDatabases } from '../../support/replay/three-databases.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { collidingNames, identifyingNames, printableNames, quoted } from '../odd-names.ts'

/** Registers a test for each of these ways from an origin to a target. */
export function testOddNames(
  ...wanted: ('Neo4j 5 into Neo4j 5' | 'Neo4j 5 into Neo4j 3.5' | 'Neo4j 3.5 into Neo4j 5')[]
): void {
  const { neo4j, target, legacy, client, driverOf } = openThreeDatabases()

  const names = [...collidingNames, ...printableNames]

  // Databases plan about eighty statements here, which is slow on a busy machine.
  const slowMs = 240_000

  /** A Cypher map with a distinct value for each name. */
  const mapOf = (keys: readonly string[]) => keys.map((key, index) => `${quoted(key)}: ${index}`).join(', ')

  /** A node and a relationship with all names as keys; the node also has them as labels, and some are types. */
  async function drawTogether(driver: Driver, mark: string) {
    const keys = names.filter((key) => key !== 'id')
    const labels = names.map((name) => `:${quoted(mark + name)}`).join('')
    const types = identifyingNames.map((name) => `(a)-[:${quoted(name)} {p_0: 1, p_1: 2}]->(b)`).join(', ')
    const all = Object.fromEntries(keys.map((key, index) => [key, BigInt(index)]))
    const created = `CREATE (a:${mark}${labels} {id: 'a'}), (b:${mark} {id: 'b'}), (b)-[r:ODD {id: 'r'}]->(a), ${types}`
    await run(driver, `${created} SET a += $all, r += $all`, { all })
    return keys.length
  }

  /** For each identifying name, two nodes and a relationship identified by it, with keys its parameters might use. */
  async function drawIdentified(driver: Driver, mark: string) {
    for (const [index, name] of identifyingNames.entries()) {
      const beside = ['id', 'a_id', 'p_0', '`'].filter((key) => key !== name)
      const own = (id: string) => `{${quoted(name)}: '${id}', ${mapOf(beside)}}`
      const label = `${mark}L${index}`
      await run(
        driver,
        `CREATE (:${label} ${own('v')})-[:${quoted(name)} ${own('r')}]->(:${label} {${quoted(name)}: 'w'})`,
      )
    }
  }

  const routes = [
    { name: 'Neo4j 5 into Neo4j 5', origin: neo4j, copy: target, parameterSyntax: 'dollar' },
    { name: 'Neo4j 5 into Neo4j 3.5', origin: neo4j, copy: legacy, parameterSyntax: 'braces' },
    { name: 'Neo4j 3.5 into Neo4j 5', origin: legacy, copy: target, parameterSyntax: 'dollar' },
  ] as const
  test.each(routes.filter(({ name }) => wanted.includes(name)))(
    'names that collide are published as labels, types, keys and id properties, from $name',
    async (route) => {
      const { origin, copy, parameterSyntax } = route
      const mark = uniqueName('Names')
      const keys = await drawTogether(driverOf(origin), mark)
      await drawIdentified(driverOf(origin), mark)
      const options = { metadata: true, returnOnly: true, parameterSyntax }
      const together = await client.post('/1.0/publish/', {
        ...database(origin, mark, 'id'),
        ...options,
        originIds: ['a', 'b'],
        relationships: ['ODD', ...identifyingNames].map(quoted),
      })
      const identified = await client.post(
        '/1.0/publish/multi',
        identifyingNames.map((name, index) => ({
          ...database(origin, `${mark}L${index}`, name),
          ...options,
          originIds: ['v'],
          relationships: [`${quoted(name)}>`],
          relationshipIdField: name,
          deleteRelationshipById: true,
        })),
      )
      const pairs = [...answeredPairs(together), ...answeredPairs(identified)]
      await replayInOrder(driverOf(copy), [...shuffled(pairs, 1), ...shuffled(pairs, 2)])
      const [expected, actual] = [await readGraph(driverOf(origin), mark), await readGraph(driverOf(copy), mark)]
      expect([expected.nodes.length, expected.relationships.length]).toEqual([
        2 + 2 * identifyingNames.length,
        1 + 2 * identifyingNames.length,
      ])
      expect(differences(expected, actual)).toEqual([])
      const counted = `MATCH (a:${mark} {id: 'a'})<-[r:ODD]-() RETURN size(keys(a)), size(keys(r)), size(labels(a))`
      const sizes = [BigInt(keys) + 1n, BigInt(keys) + 1n, BigInt(names.length) + 1n]
      expect(await run(driverOf(copy), counted)).toEqual([sizes])
      if (origin === legacy) return
      await run(driverOf(copy), `MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH '${mark}') DETACH DELETE n`)
      await replayed(sourceOf(shuffled(pairs, 2)), copy, { withoutConstraints: true })
      expect(differences(expected, await readGraph(driverOf(copy), mark))).toEqual([])
    },
    slowMs,
  )
}
