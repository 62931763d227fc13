import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { type Implemented, modelWith } from '../support/models/bound-model.ts'
import { replayInOrder } from '../support/replay/replay-in-order.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const [from, to] = [openDriver(neo4j), openDriver(target)]
afterAll(() => Promise.all([from.close(), to.close()]))

interface Case {
  /** The node types; `P` is that of the origin ids. */
  model: Record<string, Record<string, Implemented>>
  origin: string
  /** What the target has before. */
  dirt: string
  request: object
  /** What the target is asked after the replay. */
  question: string
}

/** The outcomes of a publish in each mode: the error, or what the target has after replays in several orders. */
async function outcomes({ model, origin, dirt, request, question }: Case) {
  const names = new Map(['P', 'Q', 'X'].map((label) => [label, uniqueName(label)]))
  const named = (text: string) => text.replaceAll(/\b([PQX])\b/g, (label) => names.get(label) as string)
  const types = Object.entries(model).map(([label, properties]) => [names.get(label) as string, properties] as const)
  const { version } = await modelWith(client, Object.fromEntries(types))
  await run(from, named(`CREATE ${origin}`))
  const { mappedIndices: _, ...place } = database(neo4j, '', '')
  const body = {
    ...place,
    model: version,
    parameterSyntax: 'dollar',
    returnOnly: true,
    ...JSON.parse(named(JSON.stringify(request))),
  }
  const original = (text: string) => [...names].reduce((all, [label, name]) => all.replaceAll(name, label), text)
  const failed = await client.post('/1.0/publish/', body)
  const outcomeOf = async (onModelViolation: string) => {
    const { text, body: answer } = await client.post('/1.0/publish/', { ...body, onModelViolation })
    expect(answer.error).toBeNull()
    const pairs = parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
    const seen: unknown[][][] = []
    for (const order of [pairs, pairs.toReversed(), shuffled(pairs, 1)]) {
      await run(to, named('MATCH (n) WHERE n:P OR n:Q OR n:X DETACH DELETE n'))
      await run(to, named(`CREATE ${dirt}`))
      await replayInOrder(to, order)
      seen.push(await run(to, named(question)))
    }
    for (const rows of seen) expect(rows).toEqual(seen[0])
    return seen[0]
  }
  return {
    fail: original(`${failed.status} ${failed.body.error?.replace(/^.*?: /, '')}`),
    report: await outcomeOf('report'),
    omit: await outcomeOf('omit'),
  }
}

const ids = { originIds: ['a', 'b'], metadata: true, index: 'P' }

test('an unknown property and one of a wrong type are left out, and kept at the target', async () => {
  expect(
    await outcomes({
      model: { P: { id: ['String', 'unique'], age: ['Integer'] } },
      origin: "(:P {id: 'a', age: 'old', extra: 1}), (:P {id: 'b', age: 5})",
      dirt: "(:P {id: 'a', age: 7, extra: 'mine', stale: 1})",
      request: ids,
      question: 'MATCH (n:P) RETURN n.id, n.age, n.extra, n.stale ORDER BY n.id',
    }),
  ).toEqual({
    fail: expect.stringMatching(
      /^422 the "P" with "id" "a" (has the type String in its property "age", which is Integer in the model|has a property "extra", which its node type "P" does not have)$/,
    ),
    report: [
      ['a', 'old', 1n, null],
      ['b', 5n, null, null],
    ],
    omit: [
      ['a', 7n, 'mine', null],
      ['b', 5n, null, null],
    ],
  })
})

test('a node without a required property is skipped, and so are the cleanups that would delete what it has', async () => {
  expect(
    await outcomes({
      model: { P: { id: ['String', 'unique'], name: ['String', 'required'] } },
      origin: "(a:P {id: 'a'})-[:T]->(b:P {id: 'b', name: 'B'}), (b)-[:T]->(:P {id: 'c', name: 'C'})",
      dirt: "(a:P {id: 'a', name: 'mine', old: 1})-[:T]->(:P {id: 'stale'}), (b:P {id: 'b'})-[:T]->(:P {id: 'gone'})",
      request: { ...ids, relationships: ['T>'] },
      question: 'MATCH (n:P) OPTIONAL MATCH (n)-[:T]->(m) RETURN n.id, n.name, n.old, m.id ORDER BY n.id, m.id',
    }),
  ).toEqual({
    fail: '422 the "P" with "id" "a" has no property "name", which its node type "P" requires',
    report: [
      ['a', null, null, 'b'],
      ['b', 'B', null, 'c'],
      ['c', null, null, null],
      ['gone', null, null, null],
      ['stale', null, null, null],
    ],
    omit: [
      ['a', 'mine', 1n, 'stale'],
      ['b', 'B', null, 'c'],
      ['c', null, null, null],
      ['gone', null, null, null],
      ['stale', null, null, null],
    ],
  })
})

test('a required property of a wrong type cannot be left out: its node is skipped', async () => {
  const { omit } = await outcomes({
    model: { P: { id: ['String', 'unique'], name: ['String', 'required'] } },
    origin: "(:P {id: 'a', name: 5}), (:P {id: 'b', name: 'B'})",
    dirt: "(:P {id: 'a', name: 'mine'})",
    request: ids,
    question: 'MATCH (n:P) RETURN n.id, n.name ORDER BY n.id',
  })
  expect(omit).toEqual([
    ['a', 'mine'],
    ['b', 'B'],
  ])
})

test('a label that is no node type is not added; a far end that is identified by one is skipped', async () => {
  expect(
    await outcomes({
      model: { P: { id: ['String', 'unique'] } },
      origin: "(a:P:Q {id: 'a'})-[:T]->(:X {id: 'x'}), (b:P {id: 'b'})-[:T]->(a)",
      dirt: "(:P {id: 'a'})-[:T]->(:X {id: 'stale'})",
      request: { ...ids, relationships: ['T>'], mappedIndices: { X: 'id' } },
      question: 'MATCH (n) WHERE n:P OR n:X OPTIONAL MATCH (n)-[:T]->(m) RETURN n.id, n:Q, m.id ORDER BY n.id',
    }),
  ).toEqual({
    fail: '422 the "P" with "id" "a" bears the label "Q", which is no node type of the model',
    report: [
      ['a', true, 'x'],
      ['b', false, 'a'],
      ['stale', false, null],
      ['x', false, null],
    ],
    omit: [
      ['a', false, 'stale'],
      ['b', false, 'a'],
      ['stale', false, null],
    ],
  })
})

test('an id of a wrong type skips its node, as a target and as a far end', async () => {
  expect(
    await outcomes({
      model: { P: { id: ['String', 'unique'] } },
      origin: "(:P {id: 5})<-[:T]-(:P {id: 'b'})",
      dirt: "(:P {id: 'b'})-[:T]->(:P {id: 'stale'})",
      request: { ...ids, originIds: ['5', 'b'], relationships: ['T>'] },
      question:
        'MATCH (n:P) OPTIONAL MATCH (n)-[:T]->(m) RETURN toString(n.id), toString(m.id) ORDER BY toString(n.id)',
    }),
  ).toEqual({
    fail: '422 the "P" with "id" "5" has the type Integer in its property "id", which is String in the model',
    report: [
      ['5', null],
      ['b', '5'],
      ['stale', null],
    ],
    omit: [
      ['b', 'stale'],
      ['stale', null],
    ],
  })
})
