import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'

const { neo4j } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

/** Creates a graph with unique names for its label `P` and relationship id `@`, and publishes the given ids of it. */
async function publish(drawn: string, relationshipIds: string[], request: object) {
  const [label, mark] = [uniqueName('P'), uniqueName('r')]
  await run(from, `CREATE ${drawn}`.replaceAll(':P', `:${label}`).replaceAll('@', mark))
  const { status, body } = await client.post('/1.0/publish/', {
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    relationshipIds: relationshipIds.map((id) => id.replace('@', mark)),
    relationshipIdField: 'grn',
    preventCleanup: true,
    ...request,
  })
  const pairs = body.transactionRequest?.statements ?? []
  return {
    status,
    error: body.error,
    nodes: pairs.flatMap(({ parameters }) => parameters.id ?? []).sort(),
    relationships: pairs.flatMap(({ parameters }) => parameters.a_id ?? []).length,
    metadata: pairs.at(-1)?.metadata,
  }
}

test('targetFilter keeps only the ends with that label', async () => {
  const drawn = "(:P:Kept {id: 'a'})-[:T {grn: '@1'}]->(:P {id: 'b'})"
  const { nodes, relationships } = await publish(drawn, ['@1'], { metadata: true, targetFilter: 'Kept' })
  expect([nodes, relationships]).toEqual([['a'], 1])
})

test('the ends of a skipped relationship are still targeted nodes', async () => {
  const drawn =
    "(:P {id: 'a'})-[:T {grn: '@1'}]->(:P {name: 'nobody'}), (:P {id: 'b'})-[:T {grn: '@2'}]->(:P {id: 'c'})"
  const skipping = { metadata: true, onUnpublishable: 'skip' }
  const { nodes, relationships, metadata } = await publish(drawn, ['@1', '@2'], skipping)
  expect([nodes, relationships]).toEqual([['a', 'b', 'c'], 1])
  expect(metadata?.skipped).toEqual({ nodes: 1, relationships: 1, properties: 0, cleanups: 0 })
})

test('hardFilterRelationships accepts 5 for 5.0, as origin ids do', async () => {
  const drawn = "(:P {id: 5.0})-[:T {grn: '@1'}]->(:P {id: 'b'})"
  const strict = { hardFilterRelationships: true, originIds: ['5', 'b'] }
  const { status, relationships } = await publish(drawn, ['@1'], strict)
  expect([status, relationships]).toEqual([200, 1])
})

test('hardFilterRelationships also checks skipped relationships', async () => {
  const drawn = "(:P {id: 'a'})-[:T {grn: '@1'}]->(:P {name: 'nobody'})"
  const strict = { hardFilterRelationships: true, originIds: ['b'], onUnpublishable: 'skip' }
  const { error } = await publish(`${drawn}, (:P {id: 'b'})`, ['@1'], strict)
  expect(error).toMatch(/^400 Bad Request: hardFilterRelationships: a node on either side is missing from originIds/)
})

test('in a multi, hardFilterRelationships names the sub-request that it refuses', async () => {
  const [label, mark] = [uniqueName('P'), uniqueName('r')]
  await run(from, `CREATE (:${label} {id: 'a'})-[:T {grn: '${mark}'}]->(:${label} {id: 'b'})`)
  const request = (originIds: string[]) => ({
    ...database(neo4j, label, 'id'),
    returnOnly: true,
    preventCleanup: true,
    originIds,
    relationshipIds: [mark],
    relationshipIdField: 'grn',
    hardFilterRelationships: true,
  })
  const { body } = await client.post('/1.0/publish/multi', [request(['a', 'b']), request(['a'])])
  expect(body.error).toMatch(/^400 Bad Request: \[1\]\.hardFilterRelationships: a node on either side is missing/)
})

test('a relationship id stored as 5.0 is not missing', async () => {
  const number = BigInt(Date.now()) * 1_000n
  const drawn = `(:P {id: 'a'})-[:T {grn: toFloat(${number})}]->(:P {id: 'b'})`
  const { relationships, metadata } = await publish(drawn, [`${number}`], {})
  expect([relationships, metadata?.missing]).toEqual([1, undefined])
})

test('parallel relationships with the ids 5 and 5.0 are one, those with 5 and "5" are two', async () => {
  const drawn =
    "(a:P {id: 'a'})-[:T {grn: 5}]->(b:P {id: 'b'}), (a)-[:T {grn: 5.0}]->(b), (a)-[:T {grn: '5'}]->(b), (a)-[:T {grn: 9007199254740993}]->(b), (a)-[:T {grn: '9007199254740993'}]->(b)"
  const all = { relationshipIds: undefined, originIds: ['a'], relationships: ['T'] }
  const { relationships, metadata } = await publish(drawn, [], all)
  expect([relationships, metadata?.collapsed]).toEqual([4, 1])
})

test('a duplicate id is found next to a large integer with the same text, in either read order', async () => {
  const ends = ["(:P {id: '9007199254740993'})", '(:P {id: 9007199254740993})'].map((end) => `(a)-[:T]->${end}`)
  const all = { relationshipIds: undefined, relationshipIdField: undefined, originIds: ['a'], relationships: ['T'] }
  const start = "(a:P {id: 'a'}), (:P {id: '9007199254740993'})"
  for (const order of [ends, ends.toReversed()]) {
    expect((await publish(`${start}, ${order.join(', ')}`, [], all)).status).toBe(422)
  }
})
