import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../packet/parts/parse-part.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { neo4j, target, legacy } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)

interface Metadata {
  qa: { mappedIndices: Record<string, string>; relationshipIdField: string | null }
  postback: { statements: Pair[] }
}

const lastMetadata = (pairs: readonly Pair[]) => (pairs.at(-1) as Pair).metadata as unknown as Metadata

describe.each([
  ['Neo4j 5', neo4j, target as Neo4jAddress, 'dollar'],
  ['Neo4j 3.5', neo4j, legacy as Neo4jAddress, 'braces'],
])('replayed into %s', (_name, origin, copy, parameterSyntax) => {
  const [from, to] = [openDriver(origin), openDriver(copy)]
  afterAll(() => Promise.all([from.close(), to.close()]))

  /** Creates both graphs, publishes, replays in several orders and queries the target. `P` is replaced by the label. */
  async function outcome(
    drawn: string,
    dirt: string,
    request: object,
    question: string,
  ): Promise<{ rows: unknown[][]; pairs: Pair[] }> {
    const label = uniqueName('P')
    const named = (query: string) => query.replaceAll(':P', `:${label}`)
    await run(from, named(`CREATE ${drawn}`))
    const fields = { ...database(origin, label, 'id'), parameterSyntax, returnOnly: true }
    const { text, body } = await client.post('/1.0/publish/', { ...fields, ...request })
    if (body.error !== null) throw new Error(body.error)
    const pairs = parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
    const seen: unknown[][][] = []
    for (const order of [
      pairs,
      pairs.toReversed(),
      shuffled(pairs, 1),
      [...shuffled(pairs, 2), ...shuffled(pairs, 3)],
    ]) {
      await run(to, named('MATCH (n:P) DETACH DELETE n'))
      await run(to, named(`CREATE ${dirt}`))
      await replayInOrder(to, order)
      seen.push(await run(to, named(question)))
    }
    for (const rows of seen) expect(rows).toEqual(seen[0])
    return { rows: seen[0] as unknown[][], pairs }
  }

  test('protected properties are never published, and the target keeps its own values', async () => {
    const { rows } = await outcome(
      "(a:P {id: 'a', secret: 'origin', name: 'x'})-[:T {mine: 1, since: 2}]->(b:P {id: 'b', secret: 'origin'})",
      "(a:P {id: 'a', secret: 'target', stale: 1})-[:T {mine: 7, stale: 1}]->(c:P {id: 'b', name: 'y'})",
      {
        originIds: ['a', 'b'],
        metadata: true,
        relationships: ['T>'],
        protectedNodeProperties: ['secret'],
        protectedRelationshipProperties: ['mine'],
      },
      'MATCH (a:P)-[r:T]->(b:P) RETURN a.id, a.secret, a.name, a.stale, r.mine, r.since, r.stale, b.secret, b.name',
    )
    expect(rows).toEqual([['a', 'target', 'x', null, 7n, 2n, null, null, null]])
  })

  test('deleteProperties are removed from the target where the published node has them', async () => {
    const { rows, pairs } = await outcome(
      "(:P {id: 'a', nick: 'n', `odd key`: 1, name: 'x'}), (:P {id: 'b'})",
      "(:P {id: 'a', nick: 'old', `odd key`: 2}), (:P {id: 'b', nick: 'old'})",
      { originIds: ['a', 'b'], metadata: true, deleteProperties: ['nick', 'odd key'] },
      'MATCH (n:P) RETURN n.id, n.nick, n.`odd key`, n.name ORDER BY n.id',
    )
    expect(rows).toEqual([
      ['a', null, null, 'x'],
      ['b', null, null, null],
    ])
    expect(pairs.filter(({ statement }) => statement.includes(' REMOVE ')).map(({ parameters }) => parameters)).toEqual(
      [{ id: 'a' }],
    )
  })

  test('dynamicLabels are added and removed, all other labels only added', async () => {
    const { rows } = await outcome(
      "(:P:Retired {id: 'a'}), (:P:Other {id: 'b'}), (:P:Other:Kept {id: 'c'})",
      "(:P:Actor:Kept {id: 'a'}), (:P:Actor:Retired:Kept {id: 'b'})",
      {
        originIds: ['a', 'b', 'c'],
        metadata: true,
        dynamicLabels: { Retired: ['Never'], Other: ['Kept'], Nobody: ['Retired'] },
      },
      "MATCH (n:P) RETURN n.id, [l IN ['Actor', 'Kept', 'Never', 'Other', 'Retired'] WHERE l IN labels(n)] ORDER BY n.id",
    )
    expect(rows).toEqual([
      ['a', ['Actor', 'Kept', 'Retired']],
      ['b', ['Actor', 'Other', 'Retired']],
      ['c', ['Kept', 'Other']],
    ])
  })

  test('relationships are stamped with one timestamp, and the postback packet stamps what exists', async () => {
    const before = Date.now()
    const { rows, pairs } = await outcome(
      "(a:P {id: 'a', at: 1})-[:T {at: 1, n: 1}]->(b:P {id: 'b'})",
      "(:P {id: 'a'})",
      {
        originIds: ['a'],
        metadata: true,
        relationships: ['T'],
        timestampRelationships: true,
        postbackTimestamp: true,
        timestampProperty: 'at',
      },
      'MATCH (a:P)-[r:T]->(b:P) RETURN a.at, r.at, r.n, b.at',
    )
    const [row] = rows as [[bigint, bigint, bigint, null]]
    expect([row[0], row[2], row[3]]).toEqual([1n, 1n, null])
    expect(Number(row[1])).toBeGreaterThanOrEqual(before)
    const { postback, qa } = lastMetadata(pairs)
    expect(postback.statements.map(({ parameters }) => parameters)).toEqual([
      { id: 'a', at: row[1] },
      { a_id: 'a', b_id: 'b', at: row[1] },
    ])
    const label = qa.mappedIndices.DEFAULT_INDEX
    await run(to, `MATCH (n:${label} {id: 'b'}) DETACH DELETE n`)
    await replayInOrder(to, postback.statements)
    expect(await run(to, `MATCH (n:${label}) OPTIONAL MATCH (n)-[r]-() RETURN n.id, n.at, r`)).toEqual([
      ['a', row[1], null],
    ])
  })

  test('relationships, parallel ones included, are identified by their id', async () => {
    const { rows } = await outcome(
      "(a:P {id: 'a'})-[:T {grn: 'r1', n: 1}]->(b:P {id: 'b'}), (a)-[:T {grn: 'r2', n: 2}]->(b), (a)-[:T {grn: 3, n: 3}]->(a)",
      "(a:P {id: 'a'})-[:T {grn: 'r2', stale: 1}]->(b:P {id: 'b'}), (a)-[:T {grn: 'r9'}]->(b), (b)-[:T {grn: 'r1'}]->(a)",
      { originIds: ['a', 'b'], relationships: ['T'], relationshipIdField: 'grn', deleteRelationshipById: true },
      'MATCH (a:P)-[r:T]->(b:P) RETURN a.id, r.grn, r.n, r.stale, b.id ORDER BY toString(r.grn), a.id',
    )
    // Known limit of cleanup by id: a mirrored copy that has another relationship's id stays.
    expect(rows).toEqual([
      ['a', 3n, 3n, null, 'a'],
      ['a', 'r1', 1n, null, 'b'],
      ['b', 'r1', null, null, 'a'],
      ['a', 'r2', 2n, null, 'b'],
    ])
  })

  test('relationshipIds are published from anywhere in the origin, with both ends', async () => {
    const id = uniqueName('r')
    const { rows, pairs } = await outcome(
      `(a:P {id: 'a', name: 'A'})-[:T {grn: '${id}1', n: 1}]->(b:P {id: 'b', name: 'B'}), (a)-[:U {grn: '${id}2'}]->(b), (a)-[:T {grn: '${id}3'}]->(b)`,
      "(a:P {id: 'a'})",
      {
        relationshipIds: [`${id}1`, `${id}2`, `${id}0`],
        relationshipIdField: 'grn',
        preventCleanup: true,
        metadata: true,
      },
      'MATCH (a:P)-[r]->(b:P) RETURN a.name, type(r), r.grn, b.name ORDER BY r.grn',
    )
    expect(rows).toEqual([
      ['A', 'T', `${id}1`, 'B'],
      ['A', 'U', `${id}2`, 'B'],
    ])
    expect(lastMetadata(pairs)).toMatchObject({
      qa: { relationshipIdField: 'grn' },
      missing: { originIds: [], relationshipIds: [`${id}0`] },
    })
  })

  test('relationshipDeleteOnly deletes types with no relationship left, or by relationship id, and no property', async () => {
    const drawn = "(a:P {id: 'a', name: 'origin'})-[:T {grn: 'r1'}]->(b:P {id: 'b'})"
    const dirt =
      "(a:P {id: 'a', name: 'target'})-[:T {grn: 'r1'}]->(b:P {id: 'b'}), (a)-[:T {grn: 'r9'}]->(b), (a)-[:U {grn: 'u'}]->(b)"
    const question = 'MATCH (a:P)-[r]->(:P) RETURN type(r), r.grn, a.name ORDER BY r.grn'
    const request = { originIds: ['a'], relationships: ['T', 'U'], relationshipDeleteOnly: true, metadata: true }
    expect((await outcome(drawn, dirt, request, question)).rows).toEqual([
      ['T', 'r1', 'target'],
      ['T', 'r9', 'target'],
    ])
    expect((await outcome(drawn, dirt, { ...request, relationshipIdField: 'grn' }, question)).rows).toEqual([
      ['T', 'r1', 'target'],
    ])
  })
})
