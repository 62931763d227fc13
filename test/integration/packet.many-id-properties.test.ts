import { afterAll, describe, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openOrigin } from '../../shared/origin/connect.ts'
import type { Alphabet } from '../replay/generator/alphabet.ts'
import { buildWhile } from '../support/origins/build-while.ts'
import { only } from '../support/values/only.ts'

/** A model of many node types maps many labels, most of which an origin does not have. */
const { neo4j, legacy } = inject('stack')
const { origin: settings } = readConfig('worker', inject('service').env)

const origins: [string, Neo4jAddress][] = [
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as Neo4jAddress],
]

describe.each(origins)('%s', (version, address) => {
  const driver = openDriver(address)
  afterAll(() => driver.close())

  test(`${version}: a packet is the same with two mapped labels and with thousands`, { timeout: 180_000 }, async () => {
    const [a, b, own] = [uniqueName('A'), uniqueName('B'), uniqueName('own')]
    await run(
      driver,
      `CREATE (a:${a} {id: 'a', name: 'one'}), (b:${b}:${a}Extra {bid: 'b', id: 'none', index: '${b}'})
      CREATE (a)-[:T {${own}: 1}]->(b), (b)-[:T {${own}: 2}]->(a), (a)-[:T {${own}: 3}]->(:${a} {id: 5})`,
    )
    const few = { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'bid' }
    const publish = async (count: number, fields: object) => {
      const many = Object.fromEntries(Array.from({ length: count }, (_, at) => [`${a}Type${at}`, `${a}key${at}`]))
      const build = buildWhile(address, only<Alphabet>({ a, mappedIndices: { ...few, ...many } }))
      const pairs = await build(fields, async () => {})
      // The metadata repeats `mappedIndices`.
      return pairs.map(({ statement, parameters }) => ({ statement, parameters }))
    }
    const requests = [
      { originIds: ['a'], metadata: true, relationships: ['T'] },
      { originIds: ['a', '5'], relationships: ['T>', '<T'], searchIdField: 'name' },
      { metadata: undefined, originIds: undefined, relationshipIds: ['1', '2'], relationshipIdField: own },
      { originIds: ['a'], toLayer: ['T>'], metadata: true, relationships: ['T'] },
    ]
    for (const fields of requests) {
      const expected = await publish(0, fields)
      expect(expected.length).toBeGreaterThan(1)
      for (const count of [400, 1_000, 3_000]) expect(await publish(count, fields)).toEqual(expected)
    }
  })
})

test('an origin that can leave out notifications is asked to', async () => {
  const { port } = new URL(neo4j.boltUrl)
  const credentials = `Basic ${btoa(`${neo4j.username}:${neo4j.password}`)}`
  const origin = await openOrigin({ dbUrl: neo4j.boltUrl, credentials }, { ...settings, port: Number(port) }, 60)
  // A notification for each of these keys would have more values than a message may.
  const keys = Array.from({ length: 450 }, (_, at) => `n.${uniqueName('none')}${at}`)
  let rows = 0
  await origin.each(`OPTIONAL MATCH (n:None) RETURN ${keys.join(', ')}`, {}, (row) => {
    rows++
    row.at = row.end
  })
  await origin.close()
  expect(rows).toBe(1)
})
