import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import type { ReplayOptions } from '../../client/replay/replay.ts'
import { readGraph } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import type { Pair } from '../../packet/parts/parse-part.ts'
import {
  nodeUpsert,
  pairOf,
  partsWithManifest,
  relationshipUpsert,
  replayed,
  sourceOf,
} from '../support/replay/replaying.ts'

const { target } = inject('stack') as { target: Neo4jAddress }
const driver = openDriver(target)
const label = uniqueName('Kept')
const [other, loose, kept] = [`${label}Other`, `${label}Loose`, `${label}Kept`]
const directory = await mkdtemp(join(tmpdir(), 'undo-'))
const clear = () => run(driver, `MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH '${label}') DETACH DELETE n`)

beforeAll(async () => {
  for (const name of [label, other]) await run(driver, `CREATE CONSTRAINT FOR (n:\`${name}\`) REQUIRE n.id IS UNIQUE`)
})
afterEach(clear)
afterAll(async () => {
  await driver.close()
  await rm(directory, { recursive: true })
})

const a = `(a:${label} {id: 'a'})`
const b = `(b:${label} {id: 'b'})`
const byId = (end: string, grn: unknown): Pair => {
  const [start, far] = [`(a:\`${label}\` {\`id\`: $a_id})`, `(b:\`${label}\` {\`id\`: $b_id})`]
  const text = `MERGE ${start} MERGE ${far} MERGE (a)-[r:\`KNOWS\` {\`grn\`: $grn}]->(b) SET r = {\`grn\`: $grn}`
  return pairOf(text, { a_id: 'a', b_id: end, grn })
}
const times =
  '[x IN $grn | time({hour: toInteger(x.hour), minute: toInteger(x.minute), second: toInteger(x.second), nanosecond: toInteger(x.nanosecond), timezone: x.timezone})]'
const noon = { hour: 12n, minute: 0n, second: 0n, nanosecond: 0n, timezone: '+01:00:05' }
const { statement, parameters } = byId('b', [noon])
const byFields = pairOf(statement.replaceAll('`grn`: $grn', `\`grn\`: ${times}`), parameters)
const cleanup = pairOf(`MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`KNOWS\`]->() DELETE r`, { baseId: 'a' })
const keeping = pairOf(
  `MATCH (n:\`${label}\` {\`id\`: $baseId})-[r:\`KNOWS\`]->(m) WHERE NOT coalesce(m:\`${kept}\` AND m.\`key\` IN $ids_0, false) DELETE r`,
  { baseId: 'a', ids_0: ['k'] },
)
const renamed = (pair: Pair, from: string, to: string) => pairOf(pair.statement.replace(from, to), pair.parameters)
const nodeDelete = pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids: ['a'] })
const dated = pairOf(`MERGE (n:\`${label}\` {\`id\`: date($id)}) SET n = {\`id\`: date($id)}`, { id: '2024-02-29' })

interface Refused {
  what: string
  before: string
  pairs: Pair[]
  message: string
  options?: Partial<ReplayOptions>
}

const between = `the relationship :${label} a -KNOWS-> :${label} b`

test.each<Refused>([
  {
    what: 'a value that no statement can write',
    before: `CREATE ${a} SET a.photo = $bytes`,
    pairs: [nodeUpsert(label, 'a')],
    message: `the node :${label} a has a byte array as its property "photo"`,
  },
  {
    what: 'a value of a relationship that no statement can write',
    before: `CREATE ${a}-[:KNOWS {photo: $bytes}]->${b}`,
    pairs: [cleanup],
    message: `${between} has a byte array as its property "photo"`,
  },
  {
    what: 'a key that no statement can name',
    before: `CREATE ${a} SET a += $odd`,
    pairs: [nodeUpsert(label, 'a')],
    message: `the node :${label} a has a property key "back\\\\slash" that no statement can name`,
  },
  {
    what: 'parallel relationships that would be made equal',
    before: `CREATE ${a}-[:KNOWS {at: 1}]->${b}, (a)-[:KNOWS {at: 2}]->(b)`,
    pairs: [relationshipUpsert(label, 'a', 'b')],
    message: `${between} has parallel ones that cannot be distinguished`,
  },
  {
    what: 'parallel relationships of one id',
    before: `CREATE ${a}-[:KNOWS {grn: 5}]->${b}, (a)-[:KNOWS {grn: 5.0}]->(b)`,
    pairs: [byId('b', 5n)],
    message: `${between} has a parallel one of equal grn`,
  },
  {
    what: 'a list of times as id, each given by its fields',
    before: `CREATE ${a}-[:KNOWS {grn: [time('12:00Z')]}]->${b}`,
    pairs: [byFields],
    message: `the relationship :${label} a -KNOWS-> :${label} b is found by a list of times as grn, each given by its fields`,
  },
  {
    what: 'a relationship without the id that the packet uses, beside another',
    before: `CREATE ${a}-[:KNOWS]->${b}, (a)-[:KNOWS {grn: 1}]->(b)`,
    pairs: [cleanup, byId('c', 5n)],
    message: `${between} has no grn, by which the packet tells relationships apart`,
  },
  {
    what: 'a relationship that is added in parallel to one without id',
    before: `CREATE ${a}-[:KNOWS]->${b}`,
    pairs: [byId('b', 5n)],
    message: `a relationship :${label} a -KNOWS-> :${label} b that would be parallel to others could not be distinguished from one without grn`,
  },
  {
    what: 'a relationship that is added in parallel to others, under the id of one to a node without identity',
    before: `CREATE ${a}-[:KNOWS {grn: 1}]->${b}, (a)-[:KNOWS {grn: 5}]->(:${loose} {id: 'c'})`,
    pairs: [byId('b', 5n)],
    message: `(:${loose}) has no identity that the packet could name`,
  },
  {
    what: 'relationships of a deleted node to a node without identity',
    before: `CREATE ${a}-[:ANY]->(:${loose} {id: 'a'})`,
    pairs: [nodeDelete],
    message: `(:${loose}) has no identity that the packet could name`,
  },
  {
    what: 'a far end without identity of what is kept',
    before: `CREATE ${a}-[:KNOWS]->(:${label}), ${b}`,
    pairs: [relationshipUpsert(label, 'a', 'b')],
    message: `(:${label}) has no identity that the packet could name`,
  },
  {
    what: 'a node with two identities',
    before: `CREATE (:${label}:${other} {id: 'a'})`,
    pairs: [nodeUpsert(label, 'a'), nodeUpsert(other, 'a')],
    message: 'bears several identities that the packet names',
  },
  {
    what: 'a node with another identity that only a keep-list names',
    before: `CREATE ${a}-[:KNOWS]->(:${label}:${kept} {id: 'b', key: 'k'})`,
    pairs: [nodeUpsert(label, 'b'), keeping],
    message: 'bears several identities that the packet names',
    options: { createConstraints: true },
  },
  {
    what: 'several nodes of one identity',
    before: `CREATE (:${loose} {id: 'a'}), (:${loose} {id: 'a'})`,
    pairs: [nodeUpsert(loose, 'a')],
    message: `the node :${loose} a is there several times`,
    options: { withoutConstraints: true },
  },
  {
    what: 'several ends of one identity',
    before: `CREATE (:${loose} {id: 'a'}), (:${loose} {id: 'a'})`,
    pairs: [relationshipUpsert(loose, 'a', 'b')],
    message: `an end of :${loose} a -KNOWS-> :${loose} b is there several times`,
    options: { withoutConstraints: true },
  },
  {
    what: 'a new node that no node delete can name',
    before: 'RETURN 1',
    pairs: [dated],
    message: `the node :${label} 2024-02-29 is not there, and no node delete can name its date`,
  },
  {
    what: 'a statement that the service does not write',
    before: `CREATE ${a}`,
    pairs: [nodeUpsert(label, 'a'), pairOf(`MATCH (n:${label}) SET n.x = 1`, {})],
    message: 'part 1, pair 3: not a statement that this service writes',
  },
  {
    what: 'statements that find relationships differently',
    before: `CREATE ${a}`,
    pairs: [relationshipUpsert(label, 'a', 'b'), byId('b', 5n)],
    message: 'pairs find relationships of the type KNOWS by different ids: no undo is made',
  },
])('$what is refused before anything is replayed', async ({ before, pairs, message, options = {} }) => {
  await run(driver, before, { bytes: new Int8Array([1, 2]), odd: { 'back\\slash': 1 } })
  const state = () => readGraph(driver, label).catch(() => null)
  const untouched = await state()
  const undoDirectory = await mkdtemp(join(directory, 'one-'))
  const replay = replayed(sourceOf([nodeUpsert(label, 'new'), ...pairs]), target, { ...options, undoDirectory })
  await expect(replay).rejects.toMatchObject({ kind: 'refused', message: expect.stringContaining(message) })
  expect(await state()).toEqual(untouched)
})

test.each([
  ['in which a cleanup finds nodes', loose, renamed(cleanup, label, loose)],
  ['by which a cleanup keeps far ends', `${kept}2`, renamed(keeping, kept, `${kept}2`)],
])('a label %s needs its constraint for an undo, though the manifest omits it', async (_how, needed, pair) => {
  await run(driver, `CREATE (:${loose} {id: 'a'})-[:KNOWS]->(:${loose} {id: 'b'}), (:${loose} {id: 'a'})`)
  const undoDirectory = await mkdtemp(join(directory, 'one-'))
  const source = partsWithManifest([{ label, property: 'id' }], [pair])
  const message = expect.stringContaining(`no uniqueness constraint on :${needed}(`)
  await expect(replayed(source, target, { undoDirectory })).rejects.toMatchObject({ kind: 'refused', message })
  expect(await run(driver, `MATCH (:${loose})-[r:KNOWS]->() RETURN count(r)`)).toEqual([[1n]])
})
