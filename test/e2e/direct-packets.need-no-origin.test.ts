import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { prepare } from '../support/clients/e2e.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'

const { client, org } = await prepare(1)
const target = openDriver(inject('stack').target as Neo4jAddress)
afterAll(() => target.close())
const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title' }
const deletion = { mappedIndices, index: 'Movie', originIds: ['a', 'b', 'a'], fileName: 'deleted' }

test('delete makes one statement with the ids as given, and lists them', async () => {
  const { status, body } = await client.post(`/1.0/publish/${org}/delete`, deletion)
  expect(status).toBe(200)
  expect(body.transactionRequest).toEqual({
    statements: [
      {
        statement: 'MATCH (n:`Movie`) WHERE n.`title` IN {ids} DETACH DELETE n',
        parameters: { ids: ['a', 'b'] },
        metadata: { deletedIds: ['a', 'b'] },
      },
    ],
  })
  expect(await (await fetch(body.fileLocation as string)).json()).toEqual(body.transactionRequest)
  const again = await client.post(`/1.0/publish/${org}/delete`, deletion)
  expect(again.status).toBe(409)
  const returned = await client.post(`/1.0/publish/${org}/delete`, {
    ...deletion,
    returnOnly: true,
    dbUrl: 'bolt://nowhere',
    metadata: true,
  })
  expect([returned.status, returned.body.fileLocation]).toEqual([200, null])
})

test('more than 500 ids may be deleted, and the replay deletes exactly those nodes with their relationships', async () => {
  const label = uniqueName('Gone')
  await run(
    target,
    `UNWIND range(1, 700) AS i CREATE (n:${label} {id: i}) CREATE (n)-[:T]->(:${label} {id: toString(i)})`,
  )
  const body = {
    mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'id' },
    index: label,
    originIds: Array.from({ length: 600 }, (_, index) => String(index + 1)),
    idType: 'integer',
    parameterSyntax: 'dollar',
    returnOnly: true,
  }
  const { text } = await client.post(`/1.0/publish/${org}/delete`, body)
  const pairs = parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
  await replayInOrder(target, pairs)
  await replayInOrder(target, pairs)
  expect(await run(target, `MATCH (n:${label}) WHERE n.id IN range(1, 700) RETURN count(n), min(n.id)`)).toEqual([
    [100n, 601n],
  ])
  expect(
    await run(target, `MATCH (n:${label}) WHERE n.id IN [i IN range(1, 700) | toString(i)] RETURN count(n)`),
  ).toEqual([[700n]])
})

test('integers beyond 2^53 are exact, also for clients whose JSON reader rounds them', async () => {
  const label = uniqueName('Large')
  const [kept, gone] = ['9007199254740992', '9007199254740993']
  await run(target, `UNWIND [5, ${kept}, ${gone}] AS id CREATE (:${label} {id: id})`)
  const drawn = await client.post(`/1.0/publish/${org}/createrelationships`, {
    startIndex: label,
    startIdField: 'id',
    endIndex: label,
    endIdField: 'id',
    type: 'T',
    fileName: 'ends',
    idPairs: [gone, kept].map((startId) => ({ startId, endId: '5' })),
    startIdType: 'integer',
    endIdType: 'integer',
    parameterSyntax: 'dollar',
  })
  const deleted = await client.post(`/1.0/publish/${org}/delete`, {
    mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'id' },
    index: label,
    originIds: [gone, '7'],
    idType: 'integer',
    parameterSyntax: 'dollar',
    returnOnly: true,
  })
  expect(deleted.body.transactionRequest?.statements[0]).toMatchObject({
    statement: `MATCH (n:\`${label}\`) WHERE n.\`id\` IN [x IN $ids | toInteger(x)] DETACH DELETE n`,
    parameters: { ids: [gone, 7] },
  })
  const replay = async ({ body }: typeof drawn) => {
    for (const { statement, parameters } of body.transactionRequest?.statements ?? []) {
      await run(target, statement, parameters)
    }
  }
  await replay(drawn)
  const ends = `MATCH (n:${label})-[:T]->() RETURN toString(n.id) ORDER BY n.id`
  expect(await run(target, ends)).toEqual([[kept], [gone]])
  await replay(deleted)
  expect(await run(target, ends)).toEqual([[kept]])
})

const drawing = {
  startIndex: 'Person',
  startIdField: 'id',
  endIndex: 'Movie',
  endIdField: 'title',
  type: 'LIKES',
  idPairs: [
    { startId: '2', endId: 'b' },
    { startId: '1', endId: 'a' },
    { startId: '2', endId: 'b' },
  ],
}

test('createrelationships makes one statement per distinct pair, in order', async () => {
  const { status, body } = await client.post(`/1.0/publish/${org}/createrelationships`, {
    ...drawing,
    fileName: 'drawn',
    startIdType: 'integer',
  })
  expect(status).toBe(200)
  const statement =
    'MATCH (a:`Person` {`id`: {startId}}) MATCH (b:`Movie` {`title`: {endId}}) MERGE (a)-[:`LIKES`]->(b)'
  const qa = {
    mappedIndices: { Person: 'id', Movie: 'title' },
    relationshipIdField: null,
    relationships: ['LIKES'],
    nodes: {},
  }
  expect(body.transactionRequest?.statements).toEqual([
    { statement, parameters: { startId: 2, endId: 'b' }, metadata: null },
    { statement, parameters: { startId: 1, endId: 'a' }, metadata: { qa } },
  ])
  expect(typeof body.fileLocation).toBe('string')
})

test('createrelationships splits after 5,000 pairs', async () => {
  const idPairs = Array.from({ length: 5_001 }, (_, index) => ({ startId: `s${index}`, endId: `e${index}` }))
  const { body } = await client.post(`/1.0/publish/${org}/createrelationships`, {
    ...drawing,
    idPairs,
    fileName: 'large',
  })
  expect(body.transactionRequests?.map(({ statements }) => statements.length)).toEqual([5_000, 1])
  expect((await client.get(`/1.0/publish/${org}?filter=large`)).body.fileNames).toEqual([
    'largePart1of2',
    'largePart2of2',
  ])
})
