import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair, Place } from '../../packet/parts/parse-part.ts'
import { pairOf, replayed, sourceOf } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const [five, three] = [openDriver(target), openDriver(legacy)]
afterAll(() => Promise.all([five.close(), three.close()]))

/** Nodes `1` to `count` whose unique names are `n1` and so on, at a target. */
async function namedNodes(to: Neo4jAddress, count: number) {
  const [label, driver] = [uniqueName('Unique'), to === legacy ? three : five]
  for (const property of ['id', 'name']) {
    const [on, text] = [`n:\`${label}\``, `n.${property} IS UNIQUE`]
    await run(
      driver,
      to === legacy ? `CREATE CONSTRAINT ON (${on}) ASSERT ${text}` : `CREATE CONSTRAINT FOR (${on}) REQUIRE ${text}`,
    )
  }
  await run(driver, `UNWIND range(1, ${count}) AS i CREATE (:\`${label}\` {id: toString(i), name: 'n' + toString(i)})`)
  onTestFinished(async () => {
    await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  })
  const upsert = (id: number, name: string) =>
    pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`name\`: $name}`, { id: String(id), name })
  const names = async () =>
    (await run(driver, `MATCH (n:\`${label}\`) RETURN n.name ORDER BY toInteger(n.id)`)).map(([name]) => name)
  return { label, driver, upsert, names }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('a unique value that nodes hand on arrives, whatever the order of the pairs, on %s', async (_, to) => {
  for (const inReverse of [false, true]) {
    const { upsert, names } = await namedNodes(to, 150)
    const pairs = numbers(150).map((id) => upsert(id, `n${id + 1}`))
    if (inReverse) pairs.reverse()
    const report = await replayed(sourceOf(pairs.slice(0, 100), pairs.slice(100)), to, { batchRows: 50 })
    expect(report).toMatchObject({ rejected: 0, partsDone: 2, pairs: { nodeUpsert: 150 } })
    expect(await names()).toEqual(numbers(150).map((id) => `n${id + 1}`))
  }
})

test.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('two nodes exchange a unique value on %s', async (_, to) => {
  const { upsert, names } = await namedNodes(to, 3)
  await replayed(sourceOf([upsert(1, 'n2')], [upsert(3, 'n3')], [upsert(2, 'n1')]), to, { windowBytes: 1 })
  expect(await names()).toEqual(['n2', 'n1', 'n3'])
})

test('a value that a node outside the packet holds is refused, and the others still exchange theirs', async () => {
  const { label, driver, upsert, names } = await namedNodes(target, 3)
  await run(driver, `CREATE (:\`${label}\` {id: '9', name: 'taken'})`)
  const source = sourceOf([upsert(1, 'n2'), upsert(2, 'n1'), upsert(3, 'taken')])
  await expect(replayed(source, target)).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(
      /^part 1, pair 3 \(.*\): Neo\.ClientError\.Schema\.ConstraintValidationFailed: .*; no pair that runs with it frees this value: change or delete the element that has it$/,
    ),
  })
  expect(await names()).toEqual(['n1', 'n2', 'n3', 'taken'])
  const handed: Place[] = []
  const rejected = (_: Pair, place: Place) => void handed.push(place)
  const report = await replayed(source, target, { rejected })
  expect(report).toMatchObject({ rejected: 1, pairs: { nodeUpsert: 2 } })
  expect(handed).toEqual([{ part: 1, pair: 3 }])
  expect(await names()).toEqual(['n2', 'n1', 'n3', 'taken'])
})

test('a pair is not refused because others that share its batch are, however many these are', async () => {
  const { label, driver, upsert, names } = await namedNodes(target, 400)
  await run(driver, `UNWIND range(1, 110) AS i CREATE (:\`${label}\` {id: toString(1000 + i), name: 'taken' + i})`)
  const pairs = numbers(400).map((id) => upsert(id, id % 3 === 0 && id <= 330 ? `taken${id / 3}` : `own${id}`))
  const refused: number[] = []
  const rejected = (pair: Pair) => void refused.push(Number(pair.parameters.id))
  expect(await replayed(sourceOf(pairs), target, { rejected })).toMatchObject({ rejected: 110 })
  expect(refused.toSorted((a, b) => a - b)).toEqual(numbers(110).map((at) => 3 * at))
  expect((await names()).filter((name) => String(name).startsWith('own'))).toHaveLength(290)
})

test('a replay in order says why it does not run such a pair again', async () => {
  const { upsert } = await namedNodes(target, 2)
  await expect(replayed(sourceOf([upsert(1, 'n2'), upsert(2, 'x')]), target, { inOrder: true })).rejects.toThrow(
    /; without --in-order, the replay runs such a pair again after all others$/,
  )
})

test('a part whose pairs wait for others is not done before them', async () => {
  const { upsert, names } = await namedNodes(target, 4)
  const directory = await mkdtemp(join(tmpdir(), 'unique-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const stateFile = join(directory, 'state.json')
  const source = sourceOf([upsert(1, 'n2')], [upsert(3, 'n3')], [upsert(4, 'n4')], [upsert(2, 'other')])
  const states: number[][] = []
  const onProgress = async () => {
    const text = await readFile(stateFile, 'utf8').catch(() => null)
    if (text !== null) states.push(JSON.parse(text).done)
  }
  await replayed(source, target, { stateFile, windowBytes: 1, onProgress })
  expect(states.filter((done) => done.includes(1) && !done.includes(4))).toEqual([])
  expect(await names()).toEqual(['n2', 'other', 'n3', 'n4'])
})

/** Relationships of a type whose `id`, and `code`, are unique. */
async function codedRelationships() {
  const { label, driver } = await namedNodes(target, 3)
  const type = uniqueName('UNIQUE')
  for (const property of ['id', 'code'])
    await run(driver, `CREATE CONSTRAINT FOR ()-[r:\`${type}\`]-() REQUIRE r.${property} IS UNIQUE`)
  await run(
    driver,
    `MATCH (a:\`${label}\` {id: '1'}), (b:\`${label}\` {id: '2'}), (c:\`${label}\` {id: '3'})
CREATE (a)-[:\`${type}\` {id: 1, code: 'x'}]->(b), (a)-[:\`${type}\` {id: 2, code: 'y'}]->(c)`,
  )
  const node = (name: string, parameter: string) => `MERGE (${name}:\`${label}\` {\`id\`: $${parameter}})`
  const upsert = (to: string, id: bigint, code: string) =>
    pairOf(
      `${node('a', 'a_id')} ${node('b', 'b_id')} MERGE (a)-[r:\`${type}\` {\`id\`: $id}]->(b) SET r = {\`code\`: $code, \`id\`: $id}`,
      { a_id: '1', b_id: to, id, code },
    )
  const cleanup = (...kept: string[]) =>
    pairOf(
      `MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`${type}\`]->(m) WHERE NOT coalesce(m:\`${label}\` AND m.\`id\` IN $ids_0, false) DELETE r`,
      { baseId: '1', ids_0: kept },
    )
  const all = () =>
    run(driver, `MATCH (:\`${label}\`)-[r:\`${type}\`]->(b) RETURN b.id, r.id, r.code ORDER BY b.id, r.id`)
  return { upsert, cleanup, all }
}

test('a relationship with a unique id gets another end: the cleanup that makes room may run first', async () => {
  const { upsert, cleanup, all } = await codedRelationships()
  await replayed(sourceOf([upsert('3', 1n, 'x'), cleanup('3')]), target)
  expect(await all()).toEqual([
    ['3', 1n, 'x'],
    ['3', 2n, 'y'],
  ])
})

test('two relationships exchange a unique value', async () => {
  const { upsert, all } = await codedRelationships()
  await replayed(sourceOf([upsert('2', 1n, 'y'), upsert('3', 2n, 'x')]), target)
  expect(await all()).toEqual([
    ['2', 1n, 'y'],
    ['3', 2n, 'x'],
  ])
})

test('a relationship create between nodes whose upserts had to wait is not lost', async () => {
  const { label, driver, upsert } = await namedNodes(target, 1)
  const link = pairOf(
    `MATCH (a:\`${label}\` {\`id\`: $startId}) MATCH (b:\`${label}\` {\`id\`: $endId}) MERGE (a)-[:\`NEXT\`]->(b)`,
    { startId: '2', endId: '1' },
  )
  // Node 2 is new, and gets the name that node 1 gives away only in the last part.
  const source = sourceOf([upsert(2, 'n1')], [link], [upsert(1, 'other')])
  expect(await replayed(source, target, { windowBytes: 1 })).toMatchObject({ rejected: 0, partsDone: 3 })
  expect(await run(driver, `MATCH (a:\`${label}\`)-[:NEXT]->(b) RETURN a.id, b.id`)).toEqual([['2', '1']])
})

test('an upsert takes a unique value of a node that the packet deletes, at the first attempt', async () => {
  const { label, upsert, names } = await namedNodes(target, 3)
  const deletion = pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids: ['2'] })
  const seen: number[] = []
  const onProgress = ({ partsDone }: { partsDone: number }) => void seen.push(partsDone)
  const report = await replayed(sourceOf([upsert(1, 'n2'), deletion]), target, { onProgress })
  expect(report).toMatchObject({ transactions: 2, retried: 0, pairs: { nodeUpsert: 1, nodeDelete: 1 } })
  // The part is done after both transactions, with its window: no pair was set aside.
  expect(seen).toEqual([0, 0, 1])
  expect(await names()).toEqual(['n2', 'n3'])
})
