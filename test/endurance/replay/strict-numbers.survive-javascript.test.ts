import type { Driver } from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { drawing, kinds, movieIds, personIds } from '../../replay/sample-graph.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'

const { neo4j, target, legacy } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const origin = openDriver(neo4j)
afterAll(() => origin.close())

const clean = (driver: Driver, mark: string) =>
  run(driver, 'MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH $mark) DETACH DELETE n', { mark })

test.each([
  ['Neo4j 5', target, 'dollar'],
  ['Neo4j 3.5', legacy, 'braces'],
])(
  'a strict packet read with JSON.parse and sent as JavaScript numbers reproduces every type in %s',
  async (_name, address, parameterSyntax) => {
    const mark = uniqueName('S')
    const { person, movie } = kinds(mark)
    const copy = openDriver(address)
    for (const query of drawing(mark)) await run(origin, query)
    const fields = {
      ...database(neo4j, person, 'id', { [movie]: 'title' }),
      metadata: true,
      returnOnly: true,
      parameterSyntax,
      numbers: 'strict',
    }
    const relationships = ['KNOWS', 'LIKES', 'ODD `TYPE']
    const { body } = await client.post('/1.0/publish/multi', [
      { ...fields, originIds: personIds, relationships },
      { ...fields, index: movie, originIds: movieIds, relationships },
    ])
    expect(body.error).toBeNull()
    // The client's JSON.parse made every number a JavaScript number, which the driver sends as a float.
    await replayInOrder(copy, body.transactionRequest?.statements ?? [])
    const [expected, actual] = [await readGraph(origin, mark), await readGraph(copy, mark)]
    expect(actual.relationships.length).toBe(65)
    expect(differences(expected, actual)).toEqual([])
    await Promise.all([clean(origin, mark), clean(copy, mark)])
    await copy.close()
  },
)

test.each([
  ['Neo4j 5', target, 'dollar'],
  ['Neo4j 3.5', legacy, 'braces'],
])('the stamps of a strict postback stay integers in %s', async (_name, address, parameterSyntax) => {
  const mark = uniqueName('S')
  const copy = openDriver(address)
  await run(origin, `CREATE (:\`${mark}\` {id: 'a'})-[:KNOWS]->(:\`${mark}\` {id: 'b'})`)
  const { body } = await client.post('/1.0/publish/', {
    ...database(neo4j, mark, 'id'),
    metadata: true,
    returnOnly: true,
    parameterSyntax,
    numbers: 'strict',
    originIds: ['a', 'b'],
    relationships: ['KNOWS>'],
    timestampProperty: 'stampedAt',
    timestampRelationships: true,
    postbackTimestamp: true,
  })
  const pairs = body.transactionRequest?.statements ?? []
  const postback = pairs.flatMap(
    ({ metadata }) => (metadata?.postback as typeof body.transactionRequest)?.statements ?? [],
  )
  await replayInOrder(copy, pairs)
  await run(copy, `MATCH (:\`${mark}\`)-[r]->() REMOVE r.stampedAt`)
  await replayInOrder(copy, postback)
  const rows = await run(copy, `MATCH (a:\`${mark}\`)-[r]->(b) RETURN a.stampedAt, r.stampedAt, b.stampedAt`)
  expect(rows.map((row) => row.map((stamp) => typeof stamp))).toEqual([['bigint', 'bigint', 'bigint']])
  await Promise.all([clean(origin, mark), clean(copy, mark)])
  await copy.close()
})
