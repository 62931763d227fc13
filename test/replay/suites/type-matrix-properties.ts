import type { Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { openThreeDatabases } from '../../support/replay/three-databases.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { drawMatrix, matrix } from '../type-matrix.ts'

/** Registers a test for each way from an origin to a target that takes numbers in this form. */
export function testTypesOfProperties(form: 'plain' | 'strict'): void {
  const { neo4j, target, legacy, client, driverOf } = openThreeDatabases()

  /** Zoned datetimes as text from the database, with the offsets that Bolt 3 omits. */
  async function zonedTexts(driver: Driver, label: string) {
    const texts = "[k IN range(0, $last) | toString(it['zoned' + k])], [at IN it.zoneds | toString(at)]"
    const last = BigInt(matrix.zoned.length - 1)
    return run(driver, `MATCH (a:${label} {id: 'zoned'})-[r:T]->() UNWIND [a, r] AS it RETURN ${texts}`, { last })
  }

  const telling = [
    '"integer5": 9007199254740993,',
    '"integer12": -9223372036854775808,',
    '"float1": float -0,',
    '"two_floats": [float 0, float -0]',
    '"float2": float 5,',
    '"float5": float 5e-324,',
    '"date9": Date {year -999999999, ',
    '"plane1": Point {srid 7203, x float -0, y 0, ',
    '"string11": "\\u0000"',
    '"empty": []',
  ]

  const routes = [
    { name: 'Neo4j 5 into Neo4j 5', origin: neo4j, copy: target, parameterSyntax: 'dollar', numbers: 'plain' },
    { name: 'Neo4j 5 into Neo4j 3.5', origin: neo4j, copy: legacy, parameterSyntax: 'braces', numbers: 'plain' },
    { name: 'Neo4j 3.5 into Neo4j 5', origin: legacy, copy: target, parameterSyntax: 'dollar', numbers: 'plain' },
    {
      name: 'Neo4j 5 into Neo4j 5, strictly',
      origin: neo4j,
      copy: target,
      parameterSyntax: 'dollar',
      numbers: 'strict',
    },
    {
      name: 'Neo4j 5 into Neo4j 3.5, strictly',
      origin: neo4j,
      copy: legacy,
      parameterSyntax: 'braces',
      numbers: 'strict',
    },
  ]
  test.each(routes.filter(({ numbers }) => numbers === form))(
    'every value, alone and in lists, replays on a node and a relationship, from $name',
    async (route) => {
      const { origin, copy, parameterSyntax, numbers } = route
      const label = uniqueName('Matrix')
      const originIds = await drawMatrix(driverOf(origin), label, origin === legacy || copy === legacy ? 3 : 5)
      const answer = await client.post('/1.0/publish/', {
        ...database(origin, label, 'id'),
        originIds,
        metadata: true,
        relationships: ['T'],
        returnOnly: true,
        parameterSyntax,
        numbers,
      })
      const lossless = answeredPairs(answer)
      // A strict packet is read with JSON.parse: all numbers are JavaScript numbers, which the driver sends as floats.
      const pairs = numbers === 'strict' ? (answer.body.transactionRequest?.statements ?? []) : lossless
      await replayInOrder(driverOf(copy), [...shuffled(pairs, 1), ...shuffled(pairs, 2)])
      const [expected, actual] = [await readGraph(driverOf(origin), label), await readGraph(driverOf(copy), label)]
      expect(differences(expected, actual)).toEqual([])
      expect(await zonedTexts(driverOf(copy), label)).toEqual(await zonedTexts(driverOf(origin), label))
      // Guards the comparison: the origin itself must not have rounded values, and the texts must be precise.
      expect(expected.nodes.length).toBe(2 * originIds.length - 1)
      for (const text of telling) expect(expected.nodes.join('\n')).toContain(text)
    },
  )
}
