import type { Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { openThreeDatabases } from '../../support/replay/three-databases.ts'
import { breakouts, refusedNames } from '../injection.ts'
import { quoted } from '../odd-names.ts'

/** Creates what an injected query would delete. */
export const drawCanary = (driver: Driver, mark: string) =>
  run(driver, `CREATE (:${mark}Canary {id: 'canary'})-[:T]->(:${mark}Canary)`)

/** Registers a test for each of these ways from an origin to a target. */
export function testInertData(
  ...wanted: ('Neo4j 5 into Neo4j 5' | 'Neo4j 5 into Neo4j 3.5' | 'Neo4j 3.5 into Neo4j 5')[]
): void {
  const { neo4j, target, legacy, client, driverOf } = openThreeDatabases()

  const routes = [
    { name: 'Neo4j 5 into Neo4j 5', origin: neo4j, copy: target, parameterSyntax: 'dollar' },
    { name: 'Neo4j 5 into Neo4j 3.5', origin: neo4j, copy: legacy, parameterSyntax: 'braces' },
    { name: 'Neo4j 3.5 into Neo4j 5', origin: legacy, copy: target, parameterSyntax: 'dollar' },
  ] as const
  test.each(routes.filter(({ name }) => wanted.includes(name)))(
    'names, ids and values that attempt injection arrive verbatim, without side effects, from $name',
    async ({ origin, copy, parameterSyntax }) => {
      const mark = uniqueName('Inert')
      const names = breakouts(mark)
      // Values and ids include names that are refused as names. No database stores a lone surrogate.
      const values = [...names, ...refusedNames].filter((value) => value.isWellFormed())
      const labels = names.map((name) => `:${quoted(name)}`).join('')
      const keys = names.map((name) => `${quoted(name)}: ${JSON.stringify(name)}`).join(', ')
      for (const driver of [driverOf(origin), driverOf(copy)]) await drawCanary(driver, mark)
      await run(driverOf(origin), `CREATE (:${mark}${labels} {id: 'named', index: $index, ${keys}})`, {
        index: names[0],
      })
      await run(driverOf(origin), `UNWIND $values AS v CREATE (:${mark} {id: v, value: v, list: $values})`, { values })
      const types = ['T', ...names].map((type) => `(n)-[:${quoted(type)} {${keys}}]->(m)`).join(', ')
      await run(driverOf(origin), `MATCH (n:${mark} {id: 'named'}), (m:${mark}) CREATE ${types}`)
      const answer = await client.post('/1.0/publish/', {
        ...database(origin, mark, 'id', { [names[0] as string]: 'id' }),
        metadata: true,
        returnOnly: true,
        parameterSyntax,
        originIds: ['named', ...values],
        relationships: ['T', ...names].map(quoted),
      })
      const pairs = answeredPairs(answer)
      await replayInOrder(driverOf(copy), [...pairs, ...pairs])
      const [expected, actual] = [await readGraph(driverOf(origin), mark), await readGraph(driverOf(copy), mark)]
      expect([expected.nodes.length, expected.relationships.length]).toEqual([
        values.length + 3,
        (values.length + 1) * (names.length + 1) + 1,
      ])
      expect(differences(expected, actual)).toEqual([])
    },
  )
}
