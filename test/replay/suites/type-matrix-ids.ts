import type { Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { openThreeDatabases } from '../../support/replay/three-databases.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { matrix } from '../type-matrix.ts'

/** Registers a test for each of these ways from an origin to a target. */
export function testTypesOfIds(
  ...wanted: ('Neo4j 5 into Neo4j 5 with constraints' | 'Neo4j 5 into Neo4j 3.5' | 'Neo4j 3.5 into Neo4j 5')[]
): void {
  const { neo4j, target, legacy, client, driverOf } = openThreeDatabases()

  // Not usable as distinct ids: to `=`, 0.0 equals -0.0, the repeated hour is one, and NaN is not equal to itself.
  const isNoId = (expression: string) =>
    ['0.0', '0.0 / 0.0'].includes(expression) || expression.includes('epochSeconds: 1603585800')

  /** Ids by kind, and lists as ids. */
  const ids: Record<string, string[]> = {
    ...Object.fromEntries(Object.entries(matrix).map(([kind, all]) => [kind, all.filter((it) => !isNoId(it))])),
    list: ['[]', '[1, 9007199254740993]', `[${matrix.zoned.slice(2).join(', ')}]`, `[${matrix.space.join(', ')}]`],
  }
  // Databases plan about sixty statements here, which is slow on a busy machine.
  const slowMs = 240_000
  const everyKind = Object.keys(ids)

  /** A hub with a relationship to one node per id; the id identifies both. */
  async function draw(driver: Driver, mark: string, kinds: readonly string[]) {
    await run(driver, `CREATE (:${mark}Hub {id: 'hub'})`)
    for (const kind of kinds) {
      const made = `CREATE (hub)-[:R {rid: row.id}]->(:${mark}${kind} {id: row.id, own: row.id})`
      const rows = ids[kind]?.map((expression) => `{id: ${expression}}`).join(', ')
      await run(driver, `MATCH (hub:${mark}Hub) UNWIND [${rows}] AS row ${made}`)
    }
  }

  /** Data absent from the origin: equal ids under the label of another kind, and relationships with other ids. */
  async function dirty(driver: Driver, mark: string) {
    const stale = `(:${mark}string {id: 9007199254740993, stale: true})<-[:R {rid: 5.5}]-(hub)-[:R {rid: date('2024-01-01')}]->(:${mark}date {id: '2024-01-01', stale: true})`
    await run(driver, `CREATE (hub:${mark}Hub {id: 'hub'}), ${stale}`)
  }

  const routes = [
    {
      name: 'Neo4j 5 into Neo4j 5 with constraints' as const,
      origin: neo4j,
      copy: target,
      parameterSyntax: 'dollar',
      kinds: everyKind,
    },
    {
      name: 'Neo4j 5 into Neo4j 3.5' as const,
      origin: neo4j,
      copy: legacy,
      parameterSyntax: 'braces',
      kinds: everyKind,
    },
    // Bolt 3 encodes only times with zones differently.
    {
      name: 'Neo4j 3.5 into Neo4j 5' as const,
      origin: legacy,
      copy: target,
      parameterSyntax: 'dollar',
      kinds: ['zoned', 'datetime', 'time'],
    },
  ]
  test.each(routes.filter(({ name }) => wanted.includes(name)))(
    'every value works as an id of nodes and relationships, from $name',
    async ({ origin, copy, parameterSyntax, name, kinds }) => {
      const mark = uniqueName('Ids')
      const count = kinds.flatMap((kind) => ids[kind] ?? []).length
      await draw(driverOf(origin), mark, kinds)
      await dirty(driverOf(copy), mark)
      for (const kind of name.endsWith('constraints') ? kinds : []) {
        await run(driverOf(copy), `CREATE CONSTRAINT FOR (n:${mark}${kind}) REQUIRE n.id IS UNIQUE`)
      }
      const labels = Object.fromEntries(kinds.map((kind) => [`${mark}${kind}`, 'id']))
      const request = {
        ...database(origin, `${mark}Hub`, 'id', labels),
        originIds: ['hub'],
        metadata: true,
        relationships: ['R'],
        relationshipIdField: 'rid',
        returnOnly: true,
        parameterSyntax,
      }
      // From the hub, cleanup keeps far ends by id; from the other nodes, relationships by id.
      const answer = await client.post('/1.0/publish/multi', [
        request,
        { ...request, toLayer: ['R>'], deleteRelationshipById: true },
      ])
      const pairs = answeredPairs(answer)
      expect(pairs.filter(({ statement }) => statement.includes('SET n =')).length).toBe(count + 1)
      await replayInOrder(driverOf(copy), [...shuffled(pairs, 1), ...pairs, ...shuffled(pairs, 2)])
      await run(
        driverOf(copy),
        `MATCH (n) WHERE n.stale AND any(l IN labels(n) WHERE l STARTS WITH $mark) AND NOT (n)--() DELETE n`,
        { mark },
      )
      const [expected, actual] = [await readGraph(driverOf(origin), mark), await readGraph(driverOf(copy), mark)]
      expect([expected.nodes.length, expected.relationships.length]).toEqual([count + 1, count])
      expect(differences(expected, actual)).toEqual([])
    },
    slowMs,
  )
}
