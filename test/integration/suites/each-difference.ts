import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { nodeUpsert } from '../../../packet/kinds/node-upsert.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { pairOfStatement, replayed, sourceOf, verified } from '../../support/replay/replaying.ts'

/** Registers the tests of verifying on one database. */
export function testEachDifference(name: 'Neo4j 5' | 'Neo4j 3.5'): void {
  const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
  const plain = { wrap: null, list: false }
  const label = uniqueName('Kind')
  const field = (key: string) => ({ key, value: plain })
  const source = sourceOf(...everyKind(label))
  const of = (id: string) => `:${label}(id=${id})`
  const between = (type: string, end = 'b') => `(${of('a')} -${type}-> ${of(end)})`
  const node = (id: string) => `MATCH (n:${label} {id: '${id}'})`
  const relationship = (type: string) => `MATCH (:${label} {id: 'a'})-[r:${type}]->(:${label} {id: 'b'})`

  /** What is changed at the target, and what is found. */
  const planted: [query: string, ...found: [part: number, pair: number, kind: string, text: string][]][] = [
    [
      `${node('a')} DETACH DELETE n`,
      [1, 1, 'missingNode', `${of('a')} is missing`],
      [1, 3, 'missingRelationship', `${between('KNOWS')} is missing`],
      [1, 4, 'missingRelationship', `${between('PAID')} is missing`],
      [1, 5, 'missingRelationship', `${between('PAID')} is missing`],
    ],
    [`${node('b')} REMOVE n:Good`, [1, 2, 'labelDiffers', `${of('b')} lacks the label :Good`]],
    [`${node('a')} SET n:Bad`, [1, 1, 'labelDiffers', `${of('a')} still has the label :Bad`]],
    [
      `${node('b')} SET n.name = ['Bob']`,
      [1, 2, 'propertyDiffers', `${of('b')}.name: packet "Bob" (string), target ["Bob"] (list)`],
      [2, 7, 'propertyDiffers', `${of('b')}.name: packet "Bob" (string), target ["Bob"] (list)`],
    ],
    [
      `${node('b')} REMOVE n.name`,
      [1, 2, 'propertyDiffers', `${of('b')}.name: packet "Bob" (string), target none`],
      [2, 7, 'propertyDiffers', `${of('b')}.name: packet "Bob" (string), target none`],
    ],
    [
      `${node('a')} SET n.older = date('2020-02-01')`,
      [1, 1, 'extraProperty', `${of('a')}.older: packet none, target 2020-02-01 (date)`],
      [2, 5, 'extraProperty', `${of('a')}.older: packet none, target 2020-02-01 (date)`],
    ],
    [
      `${relationship('KNOWS')} SET r.since = 1.0`,
      [1, 3, 'propertyDiffers', `${between('KNOWS')}.since: packet 1 (integer), target 1.0 (float)`],
      [2, 8, 'propertyDiffers', `${between('KNOWS')}.since: packet 1 (integer), target 1.0 (float)`],
    ],
    [
      `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) CREATE (a)-[:KNOWS {since: 1, more: true}]->(b)`,
      [1, 3, 'extraProperty', `${between('KNOWS')}.more: packet none, target true (boolean)`],
    ],
    [`MATCH ()-[r:PAID {grn: 'g2'}]->() DELETE r`, [1, 5, 'missingRelationship', `${between('PAID')} is missing`]],
    [
      `${relationship('LIKES')} DELETE r`,
      [2, 1, 'missingRelationship', `${between('LIKES')} is missing, though both nodes are there`],
    ],
    [
      `CREATE (:${label} {id: 'nobody'})`,
      [2, 2, 'missingRelationship', `${between('LIKES', 'nobody')} is missing, though both nodes are there`],
    ],
    [
      `${node('a')} FOREACH (i IN [1, 2] | CREATE (n)-[:KNOWS]->(:${label}Other))`,
      [2, 3, 'staleRelationship', `${of('a')} has 2 stale relationships :KNOWS`],
    ],
    [
      `${node('a')} CREATE (n)<-[:OLD]-(:${label}Other)`,
      [2, 4, 'staleRelationship', `${of('a')} has 1 stale relationship :OLD`],
    ],
    [`CREATE (:${label} {id: 'y'})`, [2, 6, 'undeletedNode', `${of('y')} is still there`]],
    [`CREATE (:${label} {id: 'w2'})`, [2, 10, 'undeletedNode', `${of('w2')} is still there`]],
    [
      `CREATE (:${label} {id: 'z2', words: ['x', 'y']})`,
      [2, 11, 'undeletedNode', `:${label}(words=["x","y"]) is still there`],
    ],
    [
      `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) CREATE (b)-[:KNOWS]->(a), (b)-[:KNOWS]->(a)`,
      [2, 12, 'undeletedRelationship', `(${of('b')} -KNOWS-> ${of('a')}) is still there`],
    ],
    [
      `MATCH (a:${label} {id: 'a'}), (b:${label} {id: 'b'}) CREATE (a)-[:PAID {grn: 'g3'}]->(b)`,
      [2, 13, 'undeletedRelationship', `${between('PAID')} with grn=g3 is still there`],
    ],
  ]

  /** Changes that are no difference, because the packet leaves this data alone. */
  const harmless = [
    `${node('a')} SET n.secret = 1, n:Other`,
    `${relationship('KNOWS')} SET r.note = 1`,
    `${node('a')} CREATE (n)-[:OTHER]->(:${label}Other)`,
    `${node('a')} CREATE (n)<-[:KNOWS]-(:${label}Other)`,
    `CREATE (:${label} {id: 'w'})`,
  ]

  const address = name === 'Neo4j 5' ? target : legacy
  describe(name, () => {
    const driver = openDriver(address)
    const clear = () => run(driver, `MATCH (n) WHERE n:${label} OR n:${label}Other DETACH DELETE n`)
    afterAll(async () => {
      await clear()
      await driver.close()
    })
    beforeEach(async () => {
      await clear()
      await replayed(source, address, { createConstraints: true, windowBytes: 1 })
    })

    test('no difference is found after a replay, nor after changes of data that the packet leaves alone', async () => {
      const kinds = { nodeUpsert: 2, relationshipUpsert: 3, relationshipCreate: 2, cleanup: 2, postback: 3 }
      const pairs = { ...kinds, deleteProperties: 1, nodeDelete: 3, relationshipDelete: 2 }
      expect(await verified(source, address)).toMatchObject({ pairs, differing: 0, first: [] })
      for (const query of harmless) await run(driver, query)
      expect(await verified(source, address)).toMatchObject({ differing: 0, first: [] })
    })

    test.each(planted)('the difference that a query makes is found: %s', async (query, ...found) => {
      await run(driver, query)
      const { first, differing, differences } = await verified(source, address, { batchRows: 2, windowBytes: 1 })
      expect(first).toEqual(found.map(([part, pair, kind, text]) => ({ part, pair, kind, text })))
      expect(differing).toBe(found.length)
      expect(Object.values(differences).reduce((sum, count) => sum + count, 0)).toBe(found.length)
      await replayed(source, address)
      // A replay repairs the difference.
      expect(await verified(source, address)).toMatchObject({ differing: 0 })
    })

    test('several nodes of one identity, which no constraint has prevented, are found', async () => {
      const twice = { label: `${label}Other`, idProperty: 'id', id: plain }
      const upsert = nodeUpsert(twice, [field('id')], { protectedKeys: [], added: [], removed: [] })
      await run(driver, `UNWIND [1, 2] AS i CREATE (:${label}Other {id: 'a'})`)
      const { first } = await verified(sourceOf([pairOfStatement(upsert, { id: 'a' })]), address)
      const text = `:${label}Other(id=a) is there more than once`
      expect(first).toEqual([{ part: 1, pair: 1, kind: 'duplicateNode', text }])
    })
  })
}
