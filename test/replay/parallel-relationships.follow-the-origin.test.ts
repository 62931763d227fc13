import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../packet/parts/parse-part.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'
import { replayed, sourceOf, undone, verified } from '../support/replay/replaying.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { neo4j, target, legacy } = inject('stack') as Record<'neo4j' | 'target' | 'legacy', Neo4jAddress>
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

const question = (end: string) =>
  `MATCH (a:P)-[r:T]->(b:P) WITH * ORDER BY a.id, b.id, toString(r.n) RETURN a.id, ${end}`

describe.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('parallel relationships with ids, in %s', (name, address) => {
  const to = openDriver(address)
  afterAll(() => to.close())
  const isOld = name === 'Neo4j 3.5'

  /** A label with its constraint at the target; in queries, `P` stands for it. */
  async function prepare() {
    const label = uniqueName('P')
    const named = (query: string) => query.replaceAll(':P', `:${label}`)
    const constraint = isOld ? 'ON (n:P) ASSERT n.id IS UNIQUE' : 'FOR (n:P) REQUIRE n.id IS UNIQUE'
    await run(to, named(`CREATE CONSTRAINT ${constraint}`))
    const publish = async (originIds: string[], more = {}): Promise<Pair[]> => {
      const syntax = { parameterSyntax: isOld ? 'braces' : 'dollar', returnOnly: true }
      const request = { ...database(neo4j, label, 'id'), ...syntax, relationshipIdField: 'n', relationships: ['T'] }
      const { text, body } = await client.post('/1.0/publish/', { ...request, originIds, metadata: true, ...more })
      expect(body.error).toBeNull()
      return parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
    }
    return {
      publish,
      origin: (query: string) => run(from, named(query)),
      target: (query: string) => run(to, named(query)),
      ask: () => run(to, named(question('b.id, toString(r.n)'))),
    }
  }

  test('one of two that the origin has deleted is deleted at the target, and a comparison finds it before', async () => {
    const { publish, origin, ask } = await prepare()
    await origin("CREATE (a:P {id: 'a'})-[:T {n: 1}]->(b:P {id: 'b'}), (a)-[:T {n: 2}]->(b)")
    await replayed(sourceOf(await publish(['a', 'b'])), address)
    await origin('MATCH (:P)-[r:T {n: 2}]->() DELETE r')
    const second = sourceOf(await publish(['a', 'b']))
    expect((await verified(second, address)).first.map(({ kind }) => kind)).toEqual([
      ...['staleRelationship', 'staleRelationship'],
    ])
    await replayed(second, address)
    expect(await verified(second, address)).toMatchObject({ differing: 0 })
    expect(await ask()).toEqual([['a', 'b', '1']])
  })

  test('two that have exchanged their ids are exchanged at the target in every order, and back by the undo', async () => {
    const { publish, origin, target, ask } = await prepare()
    await origin("CREATE (a:P {id: 'a'}), (a)-[:T {n: 1}]->(:P {id: 'b'}), (a)-[:T {n: 2}]->(:P {id: 'c'})")
    const first = await publish(['a', 'b', 'c'], { relationships: ['T>'] })
    await origin('MATCH (:P)-[r:T]->() SET r.n = 3 - r.n')
    const second = await publish(['a', 'b', 'c'], { relationships: ['T>'] })
    for (const order of [second, second.toReversed(), ...[1, 2, 3, 4].map((seed) => shuffled(second, seed))]) {
      await target('MATCH (n:P) DETACH DELETE n')
      await replayInOrder(to, first)
      await replayInOrder(to, order)
      await replayInOrder(to, order)
      expect(await ask()).toEqual([
        ['a', 'b', '2'],
        ['a', 'c', '1'],
      ])
    }
    const directory = await mkdtemp(join(tmpdir(), 'exchanged-'))
    try {
      await target('MATCH (n:P) DETACH DELETE n')
      await replayed(sourceOf(first), address)
      const before = await ask()
      await replayed(sourceOf(second), address, { undoDirectory: join(directory, 'undo') })
      await undone(join(directory, 'undo'), address)
      expect(await ask()).toEqual(before)
    } finally {
      await rm(directory, { recursive: true })
    }
  })
})
