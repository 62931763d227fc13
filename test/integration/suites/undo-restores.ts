import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, inject, test } from 'vitest'
import { differences, readGraph, zonedOffsets } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { matrix, propertiesOf } from '../../replay/type-matrix.ts'
import { nodeUpsert, pairOf, relationshipUpsert, replayed, sourceOf, undone } from '../../support/replay/replaying.ts'
import { startProxy } from '../../support/servers/tcp-proxy.ts'

/** Registers the tests of undoing on one database; one has a hub with this many relationships. */
export async function testUndoRestores(name: 'Neo4j 5' | 'Neo4j 3.5', hubRelationships: number): Promise<void> {
  const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
  const directory = await mkdtemp(join(tmpdir(), 'undo-'))
  afterAll(() => rm(directory, { recursive: true }))

  const address = name === 'Neo4j 5' ? target : legacy
  describe(name, () => {
    const driver = openDriver(address)
    const label = uniqueName('Undone')
    const clear = () => run(driver, `MATCH (n:${label}) DETACH DELETE n`)
    afterEach(clear)
    afterAll(() => driver.close())

    const node = `(n:\`${label}\` {\`id\`: $baseId})`
    const cleanupOf = (baseId: string) => pairOf(`MATCH ${node}-[r:\`KNOWS\`]-() DELETE r`, { baseId })
    const deleteOf = (...ids: string[]) =>
      pairOf(`MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids DETACH DELETE n`, { ids })

    /** Replays with an undo, and checks that the undo brings back what there was, once and twice. */
    async function replayAndUndo(...parts: Pair[][]) {
      const undoDirectory = await mkdtemp(join(directory, 'one-'))
      const before = await readGraph(driver, label)
      const options = { createConstraints: true, undoDirectory, windowBytes: 1 }
      const report = await replayed(sourceOf(...parts), address, options)
      const after = await readGraph(driver, label)
      expect(differences(before, after)).not.toEqual([])
      const undo = await undone(undoDirectory, address)
      expect(differences(before, await readGraph(driver, label))).toEqual([])
      await undone(undoDirectory, address)
      expect(differences(before, await readGraph(driver, label))).toEqual([])
      return { report, undo }
    }

    test('values of every type come back, of nodes and relationships', async () => {
      const kinds = Object.entries(matrix)
      for (const [kind, expressions] of kinds) {
        const map = propertiesOf(kind, expressions).map((entry) => entry.join(': '))
        const ends = `CREATE (a:${label} {id: '${kind}'})-[r:KNOWS]->(:${label} {id: '${kind} end'})`
        await run(driver, `${ends} WITH a, r, {${map.join(', ')}} AS all SET a += all, r += all`)
      }
      const zoned = matrix.zoned.map((_, index) => `zoned${index}`)
      const offsets = await zonedOffsets(driver, label, zoned)
      const ids = kinds.map(([kind]) => kind)
      await replayAndUndo(
        ids.map((id) => nodeUpsert(label, id)),
        ids.map((id) => relationshipUpsert(label, id, `${id} end`)),
      )
      expect(await zonedOffsets(driver, label, zoned)).toEqual(offsets)
    })

    test('the types of numbers come back, also of ids', async () => {
      await run(driver, `CREATE (:${label} {id: 5, a: 1, b: 1.0, c: -0.0})-[:KNOWS {at: 1.0}]->(:${label} {id: 6.0})`)
      await replayAndUndo([nodeUpsert(label, 5), nodeUpsert(label, 6n), relationshipUpsert(label, 5n, 6n)])
      // Neo4j 5 returns a node that an index finds by an equal number with that number instead of its own.
      await run(driver, `CREATE (:${label} {key: -3.0, a: 2})`)
      const byKey = `MERGE (n:\`${label}\` {\`key\`: $id}) SET n = {\`key\`: $key}`
      await replayAndUndo([pairOf(byKey, { id: -3n, key: -3n })])
    })

    test('nodes that a delete finds by integers beyond 2^53 come back', async () => {
      const [kept, gone] = ['9007199254740992', '9007199254740993']
      await run(
        driver,
        `CREATE (:${label} {id: ${kept}}), (:${label} {id: ${gone}, a: 1})-[:KNOWS]->(:${label} {id: 7})`,
      )
      const text = `MATCH (n:\`${label}\`) WHERE n.\`id\` IN [x IN $ids | toInteger(x)] DETACH DELETE n`
      const { report } = await replayAndUndo([pairOf(text, { ids: [gone, 7n] })])
      expect(report.counters).toMatchObject({ nodesDeleted: 2, relationshipsDeleted: 1 })
    })

    test('labels that the packet adds are removed, and labels that it removes come back', async () => {
      await run(driver, `CREATE (:${label}:Old:Both {id: 'a', name: 'x'})`)
      const [merge, set] = [`MERGE (n:\`${label}\` {\`id\`: $id})`, 'SET n = {`id`: $id}']
      const text = `${merge} ${set} SET n:\`Both\`:\`New\` REMOVE n:\`Old\``
      const plain = `MATCH (n:\`${label}\` {\`id\`: $id}) REMOVE n.\`name\``
      // The property delete is saved first, in a part of its own.
      await replayAndUndo([pairOf(plain, { id: 'a' })], [pairOf(text, { id: 'a' }), pairOf(text, { id: 'new' })])
    })

    test('changes of several parts are undone to what there was before the first', async () => {
      await run(
        driver,
        `CREATE (:${label} {id: 'a'})-[:KNOWS {at: 0}]->(b:${label} {id: 'b'})-[:KNOWS]->(:${label} {id: 'c'})`,
      )
      await replayAndUndo(
        [relationshipUpsert(label, 'a', 'b', 1n), relationshipUpsert(label, 'a', 'c', 1n), cleanupOf('b')],
        [relationshipUpsert(label, 'a', 'b', 2n), relationshipUpsert(label, 'b', 'new', 2n), cleanupOf('c')],
        [nodeUpsert(label, 'new'), relationshipUpsert(label, 'new', 'a', 3n), cleanupOf('b')],
      )
    })

    test('deleted nodes come back with their labels and relationships', async () => {
      await run(
        driver,
        `CREATE (a:${label}:More {id: 'a', x: 1})-[:KNOWS {at: 1}]->(b:${label} {id: 'b', y: 2.0}),
              (a)-[:LIKES]->(a), (b)-[:LIKES]->(a), (b)-[:KNOWS]->(:${label} {id: 'c'})`,
      )
      const { undo } = await replayAndUndo([deleteOf('a', 'b', 'none')])
      expect(undo.counters).toMatchObject({ nodesCreated: 2, relationshipsCreated: 4 })
    })

    test('a node that is deleted, and created again by a relationship, comes back', async () => {
      await run(driver, `CREATE (:${label}:More {id: 'a', x: 1})-[:LIKES]->(:${label} {id: 'b'})`)
      await replayAndUndo([deleteOf('a'), relationshipUpsert(label, 'a', 'b')])
    })

    test('relationships that are deleted by their ends and ids come back, and a spared node stays as it was', async () => {
      await run(
        driver,
        `CREATE (a:${label} {id: 'a'})-[:KNOWS {grn: 1, at: 1}]->(b:${label} {id: 'b'}), (a)-[:KNOWS {grn: 2}]->(b),
              (a)-[:LIKES {at: 2}]->(b), (:${label}:${label}More {id: 'c', key: 7, x: 1}), (:${label} {id: 'd', x: 2})`,
      )
      const [start, end] = [`(a:\`${label}\` {\`id\`: x[0]})`, `(b:\`${label}\` {\`id\`: x[1]})`]
      const unlink = (pattern: string, ...ends: unknown[][]) =>
        pairOf(`UNWIND $ends AS x MATCH ${start} MATCH ${end} OPTIONAL MATCH (a)-[r:${pattern}]->(b) DELETE r`, {
          ends,
        })
      const spared = `NOT coalesce(n:\`${label}More\` AND n.\`key\` = $kept_0, false)`
      const deletion = `MATCH (n:\`${label}\`) WHERE n.\`id\` IN $ids AND ${spared} DETACH DELETE n`
      const { report } = await replayAndUndo([
        unlink('`KNOWS` {`grn`: x[2]}', ['a', 'b', 1n], ['a', 'b', 3n], ['a', 'none', 1n]),
        unlink('`LIKES`', ['a', 'b'], ['b', 'a']),
        pairOf(deletion, { ids: ['c', 'd'], kept_0: 7n }),
        pairOf(`MERGE (n:\`${label}More\` {\`key\`: $id}) SET n = {\`id\`: $p_0, \`key\`: $key}`, {
          id: 7n,
          key: 7n,
          p_0: 'c',
        }),
      ])
      expect(report.counters).toMatchObject({ relationshipsDeleted: 2, nodesDeleted: 1 })
    })

    const grn = (id: string, value: unknown) => {
      const [a, b] = [`(a:\`${label}\` {\`id\`: $a_id})`, `(b:\`${label}\` {\`id\`: $b_id})`]
      const text = `MERGE ${a} MERGE ${b} MERGE (a)-[r:\`KNOWS\` {\`grn\`: $grn}]->(b) SET r = {\`grn\`: $grn}`
      return pairOf(text, { a_id: 'a', b_id: id, grn: value })
    }

    test('parallel relationships are distinguished by their ids', async () => {
      await run(
        driver,
        `CREATE (a:${label} {id: 'a'})-[:KNOWS {grn: 1, at: 1}]->(b:${label} {id: 'b'}),
              (a)-[:KNOWS {grn: '1', at: 2}]->(b), (a)-[:KNOWS {grn: 2, at: 3}]->(:${label} {id: 'c'})`,
      )
      await replayAndUndo([grn('b', 1n), grn('b', 3n), grn('c', 4n), grn('new', 2n)])
      // The id of a relationship to another node.
      await replayAndUndo([grn('b', 2n), grn('c', 1n)])
      await replayAndUndo([cleanupOf('a'), grn('b', 9n)])
      await run(driver, `CREATE (:${label} {id: 'd'})-[:KNOWS {at: 4}]->(:${label} {id: 'e'})`)
      await replayAndUndo([cleanupOf('d'), grn('b', 9n)])
    })

    test('an undo reads each of several parallel relationships with ids once, not once for each pair', async () => {
      await using proxy = await startProxy(address.boltUrl)
      async function bytesOf(count: number): Promise<number> {
        await clear()
        const ends = `CREATE (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) WITH a, b`
        await run(driver, `${ends} UNWIND range(1, ${count}) AS i CREATE (a)-[:KNOWS {grn: i, at: i}]->(b)`)
        const pairs = Array.from({ length: count }, (_, at) => grn('b', BigInt(at + 1)))
        const undoDirectory = await mkdtemp(join(directory, 'one-'))
        const before = proxy.answered()
        const options = { createConstraints: true, undoDirectory }
        await replayed(sourceOf(pairs), { ...address, boltUrl: proxy.boltUrl }, options)
        return proxy.answered() - before
      }
      const few = await bytesOf(100)
      expect(await bytesOf(400)).toBeLessThan(6 * few)
    })

    test.each([
      [
        'points',
        'point({srid: toInteger($grn.srid), x: $grn.x, y: $grn.y})',
        { srid: 7203n, x: 0, y: 1_450_000 },
        'point({x: 0.0, y: 1450000.0})',
      ],
      [
        'durations',
        'duration({months: toInteger($grn.months), days: toInteger($grn.days), seconds: toInteger($grn.seconds), nanoseconds: toInteger($grn.nanoseconds)})',
        { months: 14n, days: -3n, seconds: 5n, nanoseconds: 6n },
        'duration({months: 14, days: -3, seconds: 5, nanoseconds: 6})',
      ],
      [
        'datetimes',
        'datetime({epochSeconds: toInteger($grn.epochSeconds), nanosecond: toInteger($grn.nanosecond), timezone: $grn.timezone})',
        { epochSeconds: 1_700_000_000n, nanosecond: 5n, timezone: 'Europe/Rome' },
        "datetime({epochSeconds: 1700000000, nanosecond: 5, timezone: 'Europe/Rome'})",
      ],
    ])(
      'relationships that are found by %s come back, where the packet gives the fields',
      async (_kind, of, grn, stored) => {
        const [a, b] = [`(a:\`${label}\` {\`id\`: $a_id})`, `(b:\`${label}\` {\`id\`: $b_id})`]
        const text = `MERGE ${a} MERGE ${b} MERGE (a)-[r:\`KNOWS\` {\`grn\`: ${of}}]->(b) SET r = {\`grn\`: ${of}}`
        await run(driver, `CREATE (:${label} {id: 'a'})-[:KNOWS {grn: ${stored}, at: 1}]->(:${label} {id: 'b'})`)
        await replayAndUndo([pairOf(text, { a_id: 'a', b_id: 'b', grn })])
      },
    )

    test('a hub with relationships for several parts comes back', { timeout: 180_000 }, async () => {
      await run(driver, `CREATE (:${label} {id: 'hub'}), (:${label} {id: 'other'})`)
      await run(
        driver,
        `MATCH (h:${label} {id: 'hub'}) WITH h UNWIND range(1, ${hubRelationships}) AS i CREATE (h)-[:KNOWS {at: i}]->(:${label} {id: i})`,
      )
      const { undo } = await replayAndUndo([relationshipUpsert(label, 'hub', 'other'), cleanupOf('hub')])
      expect(undo).toMatchObject({
        pairs: { relationshipUpsert: hubRelationships, cleanup: 1 },
        partsDone: Math.ceil((hubRelationships + 1) / 5_000),
      })
    })
  })
}
