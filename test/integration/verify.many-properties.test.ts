import neo4j from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import { nodeUpsert } from '../../packet/kinds/node-upsert.ts'
import { parseLossless } from '../../packet/lossless-json.ts'
import { renderValue } from '../../packet/values/render-value.ts'
import { pairOfStatement, sourceOf, verified } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const [date, time] = [new neo4j.types.Date(2024n, 2n, 29n), new neo4j.types.LocalTime(1n, 2n, 3n, 4n)]
const zoned = new neo4j.types.DateTime(2020n, 7n, 1n, 12n, 0n, 0n, 0n, 7_200n, 'Europe/Berlin')
const inSpace = new neo4j.types.Point(9157n as never, 1.5, -2, 0.25)
const values = ['text', 1n, 1.5, ['a', 'b'], date, [date, date], zoned, [zoned], inSpace, 2n ** 60n, time, true]

// To name 1,000 properties in a query took a target a minute and a half.
const [count, mostSeconds] = [1_000, 30]

test.each([
  { name: 'Neo4j 5', address: target },
  { name: 'Neo4j 3.5', address: legacy },
])('a node of very many properties of all types is compared in seconds: $name', async ({ address }) => {
  const driver = openDriver(address)
  const label = uniqueName('Many')
  afterAll(async () => {
    await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    await driver.close()
  })
  // Few names, whatever the number of runs: a database never forgets a key.
  const entries = Array.from({ length: count }, (_, at): [string, unknown] => [`many${at}`, values[at % values.length]])
  const properties: Record<string, unknown> = Object.fromEntries([['id', 'p'], ...entries])
  await run(driver, `CREATE (n:${label}) SET n = $properties`, { properties })

  const rendered = Object.entries(properties).map(([key, value]) => ({ key, value: renderValue(value) }))
  const fields = rendered.flatMap(({ key, value }) => (value ? [{ key, value }] : []))
  const anchor = { label, idProperty: 'id', id: { wrap: null, list: false } }
  const changes = { protectedKeys: [], added: [], removed: [] }
  const statement = nodeUpsert(
    anchor,
    fields.toSorted((a, b) => byCodePoint(a.key, b.key)),
    changes,
  )
  const parameters = Object.fromEntries(fields.map(({ key, value }) => [key, parseLossless(value.json)]))
  const source = sourceOf([pairOfStatement(statement, parameters)])

  const same = await verified(source, address)
  expect([same.differing, same.first]).toEqual([0, []])
  expect(same.seconds).toBeLessThan(mostSeconds)

  const wrong = { many0: 'other', many4: zoned, many5: [date], many7: [zoned, zoned], many1: 1, more: 2n }
  await run(driver, `MATCH (n:${label}) SET n += $wrong REMOVE n.many6`, { wrong })
  const { first } = await verified(source, address)
  const about = `:${label}(id=p).`
  expect(first.map(({ text }) => text.slice(about.length).split(':')[0]).sort()).toEqual(
    ['many0', 'many1', 'many4', 'many5', 'many6', 'many7', 'more'].sort(),
  )
})
