import { describe, expect, test } from 'vitest'
import type { Identity } from '../../../packet/identity.ts'
import type { KeepList } from '../../../packet/kinds/keep-clauses.ts'
import type { NodeChanges } from '../../../packet/kinds/node-upsert.ts'
import type { Field } from '../../../packet/kinds/statement.ts'
import { wholePair } from '../../../packet/pair.ts'
import { createPairMaker, type PropertyField } from '../../../packet/pair-maker.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { upsertShape } from '../../../shared/publish/pairs/upserts.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'
import { fieldsOf, nodeUpsertOf, relationshipUpsertOf } from '../../support/replay/upserts.ts'

const identity = (label: string, idProperty: string, id: unknown): Identity => ({
  label,
  idProperty,
  id: renderValue(id) ?? expect.unreachable(),
})
const person = (id: unknown) => identity('Person', 'id', id)
const knows = { start: person('p1'), type: 'KNOWS', end: person(2n) }
const farEnds: KeepList = {
  clause: { by: 'farEnd', direction: 'out', ...person('p2') },
  ids: new Set(['"p2"', '"p3"']),
}

const changes = (some: Partial<NodeChanges> = {}): NodeChanges => ({
  protectedKeys: [],
  added: [],
  removed: [],
  ...some,
})

const fields = (properties: Record<string, unknown>): PropertyField[] => fieldsOf(new Map(Object.entries(properties)))

describe('a pair', () => {
  const pairs = createPairMaker('braces')

  test('a pair of a node has one id parameter if the id property is named id', () => {
    expect(
      wholePair(nodeUpsertOf(pairs, person('p1'), fields({ name: 'Ann', id: 'p1' }), changes())),
    ).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`id\`: {id}, \`name\`: {name}}","parameters":{"id":"p1","name":"Ann"},"metadata":null}"`,
    )
  })

  test('a pair of a node has two id parameters if the id property has another name', () => {
    const movie = identity('Movie', 'title', 'Heat')
    expect(wholePair(nodeUpsertOf(pairs, movie, fields({ title: 'Heat', 'a b': 1 }), changes()))).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Movie\` {\`title\`: {id}}) SET n = {\`a b\`: {p_0}, \`title\`: {title}}","parameters":{"id":"Heat","p_0":1.0,"title":"Heat"},"metadata":null}"`,
    )
  })

  test('a pair of a relationship has both ids and its properties', () => {
    const pair = relationshipUpsertOf(pairs, knows, fields({ since: 2n ** 60n }), [], null)
    expect(wholePair(pair)).toMatchInlineSnapshot(
      `"{"statement":"MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Person\` {\`id\`: {b_id}}) MERGE (a)-[r:\`KNOWS\`]->(b) SET r = {\`since\`: toInteger({since})}","parameters":{"a_id":"p1","b_id":2,"since":"1152921504606846976"},"metadata":null}"`,
    )
  })

  test('a pair of a cleanup has the node id and a list for each kind of far end', () => {
    expect(
      wholePair(pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [farEnds])),
    ).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]->(m) WHERE NOT coalesce(m:\`Person\` AND m.\`id\` IN {ids_0}, false) DELETE r","parameters":{"baseId":"p1","ids_0":["p2","p3"]},"metadata":null}"`,
    )
    expect(wholePair(pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, []))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]->() DELETE r","parameters":{"baseId":"p1"},"metadata":null}"`,
    )
  })

  test('a pair has its keys in code point order', () => {
    const properties = fields({ '😀': 1n, '\ufb01': 2n, b: 3n, id: 'p1', A: 4n })
    expect(wholePair(nodeUpsertOf(pairs, person('p1'), properties, changes()))).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`A\`: {A}, \`b\`: {b}, \`id\`: {id}, \`ﬁ\`: {p_0}, \`😀\`: {p_1}}","parameters":{"id":"p1","A":4,"b":3,"p_0":2,"p_1":1},"metadata":null}"`,
    )
  })

  test('a pair of deleted properties has the node id', () => {
    expect(wholePair(pairs.deleteProperties(person('p1'), ['a', 'b']))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {id}}) REMOVE n.\`a\`, n.\`b\`","parameters":{"id":"p1"},"metadata":null}"`,
    )
  })

  test('a pair of a postback has the ids and the timestamp', () => {
    const stamp = { key: 'publishedAt', value: renderValue(1_700_000_000_000n) ?? expect.unreachable() }
    const id = { key: 'grn', value: renderValue('r1') ?? expect.unreachable() }
    expect(wholePair(pairs.postbackNode(person('p1'), stamp))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {id}}) SET n.\`publishedAt\` = {publishedAt}","parameters":{"id":"p1","publishedAt":1700000000000},"metadata":null}"`,
    )
    expect(wholePair(pairs.postbackRelationship(knows, null, stamp))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`KNOWS\`]->(b:\`Person\` {\`id\`: {b_id}}) SET r.\`publishedAt\` = {publishedAt}","parameters":{"a_id":"p1","b_id":2,"publishedAt":1700000000000},"metadata":null}"`,
    )
    expect(wholePair(pairs.postbackRelationship(knows, id, stamp))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`KNOWS\` {\`grn\`: {grn}}]->(b:\`Person\` {\`id\`: {b_id}}) SET r.\`publishedAt\` = {publishedAt}","parameters":{"a_id":"p1","b_id":2,"grn":"r1","publishedAt":1700000000000},"metadata":null}"`,
    )
  })
})

describe('equal shapes', () => {
  const pairs = createPairMaker('dollar')

  const upsert = (node: Identity, properties: Record<string, unknown>, some: Partial<NodeChanges> = {}) =>
    nodeUpsertOf(pairs, node, fields(properties), changes(some)).shape
  const ann = { id: 'p1', name: 'Ann' }
  const some = { protectedKeys: ['a'], added: ['b'], removed: ['c'] }

  test('equal shapes share one text, for any order and values', () => {
    const first = upsert(person('p1'), ann, some)
    expect(upsert(person('p2'), { name: 'Bob', id: 'p2' }, some)).toBe(first)
  })

  test.each([
    ['another key', person('p1'), { id: 'p1', nick: 'Ann' }, some],
    ['a value that needs an expression', person('p1'), { ...ann, name: Number.NaN }, some],
    ['a list of such values', person('p1'), { ...ann, name: [Number.NaN] }, some],
    ['an id that needs an expression', person(2n ** 60n), ann, some],
    ['another id property', identity('Person', 'name', 'p1'), ann, some],
    ['another label of the identity', identity('b', 'id', 'p1'), ann, some],
    ['other protected keys', person('p1'), ann, { ...some, protectedKeys: [] }],
    ['other labels', person('p1'), ann, { ...some, added: ['b', 'c'], removed: [] }],
    ['other labels removed', person('p1'), ann, { ...some, added: [], removed: ['b', 'c'] }],
    ['labels instead of keys', person('p1'), ann, { protectedKeys: [], added: ['a', 'b'], removed: ['c'] }],
  ])('equal shapes exclude shapes with %s', (_what, node, properties, other) => {
    expect(upsert(node, properties, other)).not.toEqual(upsert(person('p1'), ann, some))
  })

  test('shapes differ by id and protected keys in relationships', () => {
    const properties = fields({ grn: 'r1' })
    const texts = [
      relationshipUpsertOf(pairs, knows, properties, [], null),
      relationshipUpsertOf(pairs, knows, properties, [], 'grn'),
      relationshipUpsertOf(pairs, knows, properties, ['mine'], null),
      relationshipUpsertOf(pairs, { ...knows, type: 'LIKES' }, properties, [], null),
    ].map(({ shape }) => shape.statement)
    expect(new Set(texts).size).toBe(texts.length)
  })

  test('shapes differ between keeping far ends and keeping ids, whatever these are called', () => {
    const byEnd: KeepList = {
      clause: { by: 'farEnd', direction: 'out', ...identity('toInteger', 'out', 'm') },
      ids: new Set(['"m"']),
    }
    const byId = (id: unknown): KeepList => ({
      clause: { by: 'relationshipId', field: 'out', id: renderValue(id) as Rendered },
      ids: new Set(),
    })
    const type = { type: 'KNOWS', direction: 'out' } as const
    pairs.cleanup(person('p1'), type, [byEnd])
    const { statement } = pairs.cleanup(person('p1'), { ...type }, [byId(2n ** 60n), byId('r1')]).shape
    expect(statement).toContain('r.`out` IN $ids_1')
  })

  test('shapes differ by direction, type and far end in cleanups', () => {
    const texts = [
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [farEnds]),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'both' }, [farEnds]),
      pairs.cleanup(person('p1'), { type: 'LIKES', direction: 'out' }, [farEnds]),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, []),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [farEnds, farEnds]),
    ].map(({ shape }) => shape.statement)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('unpublishable values are described in words', () => {
  test.each([
    ['a key with a backslash', 'a\\b', 1n, 'has a property key "a\\\\b" that no statement can name'],
    ['an empty key', '', 1n, 'has a property key "" that no statement can name'],
    ['a byte array', 'photo', new Int8Array([1]), 'has a byte array as its property "photo"'],
    ['a list with one', 'photos', [new Int8Array([1])], 'has a list with a byte array as its property "photos"'],
  ])('unpublishable values are described in words: %s', (_what, key, value, problem) => {
    const properties = propertiesOf({ fine: 'x', [key]: value })
    const kindOf = (excluded: string[]) => ({
      numbers: 'plain' as const,
      syntax: 'dollar' as const,
      excluded: new Set(excluded),
      added: [],
      skips: false,
      make: (of: readonly Field[]) => createPairMaker('dollar').nodeUpsertShape(person('p1'), of, changes()),
    })
    expect(() => upsertShape(kindOf([]), properties, () => 'the node')).toThrow(`the node ${problem}`)
    expect(upsertShape(kindOf([key]), properties, () => 'the node').keys).toEqual(['fine'])
    const skipping = upsertShape({ ...kindOf([]), skips: true }, properties, () => 'the node')
    expect([skipping.keys, skipping.skipped]).toEqual([['fine'], [1]])
  })
})
