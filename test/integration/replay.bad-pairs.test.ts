import { afterAll, afterEach, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair, Place } from '../../packet/parts/parse-part.ts'
import { nodeUpsert, pairOf, relationshipUpsert, replayed, sourceOf } from '../support/replay/replaying.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
const driver = openDriver(target)
afterAll(() => driver.close())
const label = uniqueName('Bad')
const count = async () => (await run(driver, `MATCH (n:\`${label}\`) RETURN count(n)`))[0]?.[0]

beforeEach(() => run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`))
afterEach(async () => {
  await run(driver, `MATCH (n:\`${label}\`) DETACH DELETE n`)
  await dropConstraints()
})

async function dropConstraints(): Promise<void> {
  const own = 'SHOW CONSTRAINTS YIELD name, labelsOrTypes WHERE $label IN labelsOrTypes RETURN name'
  for (const [name] of await run(driver, own, { label })) await run(driver, `DROP CONSTRAINT \`${name}\``)
}

const dated = (id: string, born: unknown) =>
  pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`born\`: date($born), \`id\`: $id}`, { id, born })
const people = Array.from({ length: 400 }, (_, index) => dated(`p${index}`, '2024-02-29'))
const withBad = people.with(123, dated('p123', '2023-02-29')).with(321, dated('p321', 'no date'))

test.each([1, 4])('a pair that the target refuses ends the replay and is named, with %i lanes', async (lanes) => {
  const replay = replayed(sourceOf(people.slice(0, 5), withBad), target, { lanes, batchRows: 100 })
  await expect(replay).rejects.toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(
      new RegExp(`^part 2, pair (124|322) \\(node upsert, :${label} p(123|321)\\): Neo\\.`),
    ),
  })
})

test.each([1, 4])('refused pairs are handed over, and all others replayed, with %i lanes', async (lanes) => {
  const handed: [unknown, Place][] = []
  const rejected = (pair: Pair, place: Place) => void handed.push([pair.parameters.id, place])
  const report = await replayed(sourceOf(withBad), target, { lanes, batchRows: 100, rejected })
  expect(report).toMatchObject({ rejected: 2, rows: 398 })
  expect(handed.toSorted()).toEqual([
    ['p123', { part: 1, pair: 124 }],
    ['p321', { part: 1, pair: 322 }],
  ])
  expect(await count()).toBe(398n)
})

const unique = (database: string) =>
  database === 'Neo4j 3.5'
    ? `CONSTRAINT ON (n:\`${label}Long\`) ASSERT n.id IS UNIQUE`
    : `CONSTRAINT FOR (n:\`${label}Long\`) REQUIRE n.id IS UNIQUE`

test.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])(
  'an id that is too long for an index of %s is refused by name, and all other pairs are replayed',
  async (name, to) => {
    const own = openDriver(to)
    onTestFinished(() => own.close())
    await run(own, `CREATE ${unique(name)}`)
    const ids = Array.from({ length: 20 }, (_, index) => (index === 7 ? 'p'.repeat(9_000) : `p${index}`))
    const pairs = ids.map((id) => nodeUpsert(`${label}Long`, id))
    await expect(replayed(sourceOf(pairs), to)).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/^part 1, pair 8 \(node upsert, .*: Property value /),
    })
    const handed: Place[] = []
    const rejected = (_: Pair, place: Place) => void handed.push(place)
    expect(await replayed(sourceOf(pairs), to, { rejected })).toMatchObject({ rows: 19 })
    expect(handed).toEqual([{ part: 1, pair: 8 }])
  },
)

test('several nodes of one identity are not set together: the pair is named', async () => {
  await dropConstraints()
  await run(driver, `CREATE (:\`${label}\` {id: 'p7', old: true}), (:\`${label}\` {id: 'p7', old: true})`)
  const pairs = Array.from({ length: 20 }, (_, index) => nodeUpsert(label, `p${index}`))
  await expect(replayed(sourceOf(pairs), target, { withoutConstraints: true })).rejects.toMatchObject({
    kind: 'failed',
    message: `part 1, pair 8 (node upsert, :${label} p7): the target has several nodes of this identity`,
  })
  expect(await run(driver, `MATCH (n:\`${label}\` {id: 'p7'}) RETURN n.old`)).toEqual([[true], [true]])
})

test('parallel relationships are all set, and counted', async () => {
  await run(
    driver,
    `CREATE (a:\`${label}\` {id: 'a'})-[:KNOWS]->(b:\`${label}\` {id: 'b'}), (a)-[:KNOWS]->(b), (a)-[:KNOWS]->(b)`,
  )
  const pairs = [relationshipUpsert(label, 'a', 'b', 7n), relationshipUpsert(label, 'b', 'a', 8n)]
  expect(await replayed(sourceOf(pairs), target)).toMatchObject({ parallelCopies: 2, rows: 2 })
  expect(await run(driver, `MATCH (:\`${label}\` {id: 'a'})-[r]->() RETURN r.at`)).toEqual([[7n], [7n], [7n]])
})

test('a node delete of many ids is cut, and deletes them all', async () => {
  await run(driver, `UNWIND range(1, 1200) AS i CREATE (:\`${label}\` {id: i})-[:T]->(:\`${label}\` {id: -i})`)
  const ids = Array.from({ length: 1_200 }, (_, index) => BigInt(index + 1))
  const pair = pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids })
  const report = await replayed(sourceOf([pair]), target)
  expect(report).toMatchObject({ rows: 3, pairs: { nodeDelete: 1 }, counters: { nodesDeleted: 1_200 } })
  expect(await count()).toBe(1_200n)
})
