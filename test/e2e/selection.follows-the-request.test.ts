import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'

const { neo4j, legacy } = inject('stack')
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)

const orderText = (value: unknown) => JSON.stringify(value, (_key, at) => (typeof at === 'bigint' ? `${at}n` : at))
const inTextOrder = (a: unknown, b: unknown) => (orderText(a) < orderText(b) ? -1 : 1)

describe.each([
  ['Neo4j 5', neo4j],
  ['Neo4j 3.5', legacy as Neo4jAddress],
])('from %s', async (_name, origin) => {
  const driver = openDriver(origin)
  afterAll(() => driver.close())
  const [a, b, c] = [uniqueName('A'), uniqueName('B'), uniqueName('C')]
  await run(
    driver,
    `CREATE (a1:${a} {id: 'a1'}), (a2:${a} {id: 'a2'}), (b1:${b} {key: 'b1'}), (b2:${b}:${c} {key: 'b2'}), (a7:${a} {id: 7}), (s7:${a} {id: '7'}),
      (a1)-[:OWNS]->(b1), (a1)-[:OWNS]->(b2), (a2)-[:OWNS]->(b2), (b1)-[:NEXT {n: 1}]->(b2), (b2)-[:NEXT {n: 2}]->(b1), (a1)-[:OWNS]->(a2),
      (b2)-[:TWICE {n: 1}]->(b1), (b2)-[:TWICE {n: 2}]->(b1)`,
  )
  const fields = { ...database(origin, a, 'id', { [b]: 'key' }), returnOnly: true }

  /** Statements, with the random part of labels removed, and their parameters. */
  async function publish(request: object): Promise<[string, Record<string, unknown>][]> {
    const { text, body } = await client.post('/1.0/publish/', { ...fields, ...request })
    if (body.error !== null) throw new Error(body.error)
    const pairs = parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
    return pairs
      .map(({ statement, parameters }): [string, Record<string, unknown>] => [
        statement.replaceAll(a, 'A').replaceAll(b, 'B').replaceAll(c, 'C').replaceAll('`', ''),
        parameters,
      ])
      .sort(inTextOrder)
  }

  test('toLayer is followed in order; a node is targeted once, no relationship is walked twice', async () => {
    const reached = await publish({ originIds: ['a1', 'a2'], toLayer: ['OWNS>', 'NEXT>'], metadata: true })
    expect(reached.map(([, { id }]) => id).sort()).toEqual(['b1', 'b2'])
    const back = await publish({ originIds: ['a1'], toLayer: ['OWNS', 'OWNS'], metadata: true })
    expect(back.map(([, { id }]) => id).sort()).toEqual(['a2', 'b2'])
  })

  test('targetFilter keeps targeted nodes with the label; far ends stay in the keep-list', async () => {
    const filtered = await publish({ originIds: ['a1'], toLayer: ['OWNS>'], targetFilter: c, relationships: ['NEXT>'] })
    expect(filtered).toEqual([
      [
        'MATCH (n:B {key: {baseId}})-[r:NEXT]->(m) WHERE NOT coalesce(m:B AND m.key IN {ids_0}, false) DELETE r',
        { baseId: 'b2', ids_0: ['b1'] },
      ],
      [
        'MERGE (a:B {key: {a_id}}) MERGE (b:B {key: {b_id}}) MERGE (a)-[r:NEXT]->(b) SET r = {n: {n}}',
        { a_id: 'b2', b_id: 'b1', n: 2n },
      ],
    ])
  })

  test('cleanup has one clause for each direction and kind of far end', async () => {
    const pairs = await publish({ originIds: ['a2'], relationships: ['OWNS'] })
    expect(pairs).toEqual([
      [
        'MATCH (n:A {id: {baseId}})-[r:OWNS]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:B AND m.key IN {ids_0}, false) OR endNode(r) = n AND coalesce(m:A AND m.id IN {ids_1}, false)) DELETE r',
        { baseId: 'a2', ids_0: ['b2'], ids_1: ['a1'] },
      ],
      [
        'MERGE (a:A {id: {a_id}}) MERGE (b:A {id: {b_id}}) MERGE (a)-[r:OWNS]->(b) SET r = {}',
        { a_id: 'a1', b_id: 'a2' },
      ],
      [
        'MERGE (a:A {id: {a_id}}) MERGE (b:B {key: {b_id}}) MERGE (a)-[r:OWNS]->(b) SET r = {}',
        { a_id: 'a2', b_id: 'b2' },
      ],
    ])
  })

  test('a missing id gets the remove-all variant, as string and as integer where it could be either', async () => {
    const pairs = await publish({ originIds: ['a1', 'gone', '99', '007'], relationships: ['<OWNS'] })
    expect(pairs).toEqual(
      ['a1', 'gone', '99', 99n, '007']
        .map((baseId) => ['MATCH (n:A {id: {baseId}})<-[r:OWNS]-() DELETE r', { baseId }])
        .sort(inTextOrder),
    )
    const none = await publish({ originIds: ['a1', 'gone'], relationships: ['<OWNS'], preventCleanup: true })
    expect(none).toEqual([])
  })

  test('an id is matched as string and as integer; the packet has the stored value', async () => {
    const pairs = await publish({ originIds: ['7'], metadata: true })
    expect(pairs.map(([, { id }]) => id)).toEqual(['7', 7n])
  })

  test('parallel relationships collapse to one, and are counted', async () => {
    const { body } = await client.post('/1.0/publish/', {
      ...fields,
      index: b,
      originIds: ['b1', 'b2'],
      relationships: ['TWICE'],
    })
    const { statements = [] } = body.transactionRequest ?? {}
    const upserts = statements.filter(({ statement }) => statement.startsWith('MERGE'))
    const [first] = await run(driver, `MATCH (:${b})-[r:TWICE]->(:${b}) RETURN r.n ORDER BY toString(id(r)) LIMIT 1`)
    expect(upserts.map(({ parameters }) => parameters)).toEqual([{ a_id: 'b2', b_id: 'b1', n: Number(first?.[0]) }])
    expect(statements.at(-1)?.metadata).toMatchObject({ collapsed: 1, qa: { relationships: ['TWICE'], nodes: {} } })
  })

  test('a duplicate identity is refused, a unique one is published', async () => {
    const label = uniqueName('Twin')
    await run(driver, `CREATE (:${label} {id: 'x'}), (:${label} {id: 'x'}), (:${label} {id: 'y'})`)
    const request = { ...database(origin, label, 'id'), returnOnly: true, metadata: true }
    const refused = await client.post('/1.0/publish/', { ...request, originIds: ['x'] })
    expect([refused.status, refused.body.error]).toEqual([
      422,
      `422 Unprocessable Entity: more than one node with label "${label}" has "x" as its id "id"`,
    ])
    const single = await client.post('/1.0/publish/', { ...request, originIds: ['y'] })
    expect(single.status).toBe(200)
  })

  test('the error for an unpublishable node or value names it', async () => {
    const label = uniqueName('Odd')
    await run(
      driver,
      `CREATE (:${label} {id: 'bytes', photo: $photo}), (:${label} {id: 'slash', \`a\\b\`: 1}), (:${label} {id: 0.0 / 0.0})`,
      {
        photo: new Int8Array([1, 2]),
      },
    )
    const request = { ...database(origin, label, 'id'), returnOnly: true, metadata: true }
    const message = async (id: string) =>
      (await client.post('/1.0/publish/', { ...request, originIds: [id] })).body.error
    expect(await message('bytes')).toMatch(
      new RegExp(
        `^422 Unprocessable Entity: the node \\d+ with the labels "${label}" has a byte array as its property "photo"$`,
      ),
    )
    expect(await message('slash')).toMatch(/has a property key "a\\\\b" that no statement can name$/)
  })
})
