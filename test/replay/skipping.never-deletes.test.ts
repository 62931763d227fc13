import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [from, to] = [openDriver(neo4j), openDriver(target)]
afterAll(() => Promise.all([from.close(), to.close()]))

/** Publishes with `onUnpublishable: skip`, without which it must fail; replays in several orders. `P` is the label. */
async function outcome(drawn: string, dirt: string, request: object, question: string) {
  const label = uniqueName('P')
  const named = (query: string) => query.replaceAll(':P', `:${label}`)
  await run(from, named(`CREATE ${drawn}`), { photo: new Int8Array([1, 2]) })
  const fields = { ...database(neo4j, label, 'id'), parameterSyntax: 'dollar', returnOnly: true, ...request }
  expect((await client.post('/1.0/publish/', fields)).status).toBe(422)
  const { text, body } = await client.post('/1.0/publish/', { ...fields, onUnpublishable: 'skip' })
  expect(body.error).toBeNull()
  const pairs = parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
  const seen: unknown[][][] = []
  for (const order of [pairs, pairs.toReversed(), shuffled(pairs, 1)]) {
    await run(to, named('MATCH (n:P) DETACH DELETE n'))
    await run(to, named(`CREATE ${dirt}`))
    await replayInOrder(to, order)
    seen.push(await run(to, named(question)))
  }
  for (const rows of seen) expect(rows).toEqual(seen[0])
  return { rows: seen[0], skipped: body.transactionRequest?.statements.at(-1)?.metadata?.skipped }
}

test('an unpublishable value is skipped, and the target keeps its own', async () => {
  const { rows, skipped } = await outcome(
    "(a:P {id: 'a', photo: $photo, name: 'x'})-[:T {photo: $photo, n: 1}]->(b:P {id: 'b'})",
    "(a:P {id: 'a', photo: 'mine', stale: 1})-[:T {photo: 'mine', stale: 1}]->(b:P {id: 'b'})",
    { originIds: ['a', 'b'], metadata: true, relationships: ['T'] },
    'MATCH (a:P)-[r:T]->() RETURN a.photo, a.name, a.stale, r.photo, r.n, r.stale',
  )
  expect(rows).toEqual([['mine', 'x', null, 'mine', 1n, null]])
  expect(skipped).toEqual({ nodes: 0, relationships: 0, properties: 2, cleanups: 0 })
})

test('a far end without identity skips its relationship and the cleanup that would delete it', async () => {
  const { rows, skipped } = await outcome(
    "(a:P {id: 'a'})-[:T]->(b:P {id: 'b'}), (a)-[:T]->(:P {name: 'nobody'}), (b)-[:T]->(c:P {id: 'c'})",
    "(a:P {id: 'a'})-[:T]->(:P {id: 'stale', name: 'nobody'}), (b:P {id: 'b'})-[:T]->(:P {id: 'gone'})",
    { originIds: ['a', 'b'], relationships: ['T>'] },
    'MATCH (a:P)-[:T]->(b:P) RETURN a.id, b.id ORDER BY a.id, b.id',
  )
  expect(rows).toEqual([
    ['a', 'b'],
    ['a', 'stale'],
    ['b', 'c'],
  ])
  expect(skipped).toEqual({ nodes: 0, relationships: 1, properties: 0, cleanups: 1 })
})

test('duplicate identities are skipped, as targeted nodes and as far ends in either direction', async () => {
  const { rows, skipped } = await outcome(
    "(a:P {id: 'a'})-[:T]->(t1:P {id: 5, n: 1}), (:P {id: 5.0, n: 2}), (b:P {id: 'b', n: 3})-[:T]->(:P {id: 'c'})",
    "(a:P {id: 'a'})-[:T]->(:P {id: 5}), (b:P {id: 'b'})",
    { originIds: ['a', '5', 'b'], metadata: true, relationships: ['T'] },
    'MATCH (n:P) OPTIONAL MATCH (n)-[:T]->(m) RETURN toString(n.id), n.n, toString(m.id) ORDER BY toString(n.id)',
  )
  expect(rows).toEqual([
    ['5', null, null],
    ['a', null, '5'],
    ['b', 3n, 'c'],
    ['c', null, null],
  ])
  expect(skipped).toEqual({ nodes: 2, relationships: 1, properties: 0, cleanups: 1 })
})

test('a relationship without its id is skipped, and so are the cleanups at both ends', async () => {
  const { rows, skipped } = await outcome(
    "(a:P {id: 'a'})-[:T {grn: 'r1'}]->(b:P {id: 'b'}), (a)-[:T]->(b), (c:P {id: 'c'})-[:T {grn: 'r2'}]->(c)",
    "(a:P {id: 'a'})-[:T {grn: 'stale'}]->(b:P {id: 'b'}), (c:P {id: 'c'})-[:T {grn: 'stale'}]->(c)",
    { originIds: ['a', 'b', 'c'], relationships: ['T'], relationshipIdField: 'grn', deleteRelationshipById: true },
    'MATCH (a:P)-[r:T]->(b:P) RETURN a.id, r.grn, b.id ORDER BY a.id, r.grn',
  )
  expect(rows).toEqual([
    ['a', 'r1', 'b'],
    ['a', 'stale', 'b'],
    ['c', 'r2', 'c'],
  ])
  expect(skipped).toEqual({ nodes: 0, relationships: 1, properties: 0, cleanups: 2 })
})

test('a deletion-only packet cleans up beside a skipped node: by id, or types with nothing left', async () => {
  const drawn = "(:P {id: 'd'})-[:T {grn: 'r1'}]->(a:P {id: 'a'}), (:P {id: 'd'}), (:P {id: 'e'})"
  const dirt = `(d:P {id: 'd'})-[:T {grn: 'r1'}]->(:P {id: 'a'})-[:T {grn: 'stale'}]->(d), (d)-[:T]->(:P {id: 'e'})`
  const question = 'MATCH (a:P)-[r:T]->(b:P) RETURN a.id, r.grn, b.id ORDER BY a.id, r.grn, b.id'
  const request = { originIds: ['d', 'a', 'e'], relationships: ['T'], relationshipDeleteOnly: true }
  const skipped = { nodes: 2, relationships: 0, properties: 0, cleanups: 0 }
  expect(await outcome(drawn, dirt, { ...request, relationshipIdField: 'grn' }, question)).toEqual({
    rows: [['d', 'r1', 'a']],
    skipped,
  })
  const stale = ['a', 'stale', 'd']
  expect(await outcome(drawn, dirt, request, question)).toEqual({ rows: [stale, ['d', 'r1', 'a']], skipped })
})
