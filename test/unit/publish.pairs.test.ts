import { describe, expect, test } from 'vitest'
import { renderValue } from '../../shared/cypher/values.ts'
import type { Identity } from '../../shared/publish/identity.ts'
import type { KeepList } from '../../shared/publish/keep-lists.ts'
import { createPairMaker, fieldsOf, type PropertyField } from '../../shared/publish/pairs.ts'
import { pairText } from '../../shared/publish/part-buffer.ts'

const identity = (label: string, idProperty: string, id: unknown): Identity => ({
  label,
  idProperty,
  id: renderValue(id) ?? expect.unreachable(),
})
const person = (id: unknown) => identity('Person', 'id', id)

function fields(properties: Record<string, unknown>): PropertyField[] {
  const found = fieldsOf({ keys: Object.keys(properties), values: Object.values(properties) })
  return 'problem' in found ? expect.unreachable(found.problem) : found
}

/** A pair as it stands in a part. */
const shown = (pair: Parameters<typeof pairText>[0]) => `${pairText(pair)}null}`

describe('a pair', () => {
  const pairs = createPairMaker('braces')

  test('of a node carries the id once when its property is named id', () => {
    expect(shown(pairs.nodeUpsert(person('p1'), fields({ name: 'Ann', id: 'p1' }), ['Person']))).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`id\`: {id}, \`name\`: {name}}","parameters":{"id":"p1","name":"Ann"},"metadata":null}"`,
    )
  })

  test('of a node carries the id twice when its property is named otherwise', () => {
    const movie = identity('Movie', 'title', 'Heat')
    expect(shown(pairs.nodeUpsert(movie, fields({ title: 'Heat', 'a b': 1 }), ['Movie']))).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Movie\` {\`title\`: {id}}) SET n = {\`a b\`: {p_0}, \`title\`: {title}}","parameters":{"id":"Heat","p_0":1.0,"title":"Heat"},"metadata":null}"`,
    )
  })

  test('of a relationship carries both ids and its properties', () => {
    const pair = pairs.relationshipUpsert(person('p1'), 'KNOWS', person(2n), fields({ since: 2n ** 60n }))
    expect(shown(pair)).toMatchInlineSnapshot(
      `"{"statement":"MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Person\` {\`id\`: {b_id}}) MERGE (a)-[r:\`KNOWS\`]->(b) SET r = {\`since\`: toInteger({since})}","parameters":{"a_id":"p1","b_id":2,"since":"1152921504606846976"},"metadata":null}"`,
    )
  })

  test('of a cleanup carries the node id and a list for each kind of far end', () => {
    const list: KeepList = { clause: { direction: 'out', ...person('p2') }, ids: new Set(['"p2"', '"p3"']) }
    expect(shown(pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [list]))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]->(m) WHERE NOT coalesce(m:\`Person\` AND m.\`id\` IN {ids_0}, false) DELETE r","parameters":{"baseId":"p1","ids_0":["p2","p3"]},"metadata":null}"`,
    )
    expect(shown(pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, []))).toMatchInlineSnapshot(
      `"{"statement":"MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]->() DELETE r","parameters":{"baseId":"p1"},"metadata":null}"`,
    )
  })

  test('has keys and labels in the order of their code points, and never adds the label of the identity', () => {
    const properties = fields({ '😀': 1n, '\ufb01': 2n, b: 3n, id: 'p1', A: 4n })
    const labels = ['😀', '\ufb01', 'b', 'Person', 'A']
    expect(shown(pairs.nodeUpsert(person('p1'), properties, labels))).toMatchInlineSnapshot(
      `"{"statement":"MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`A\`: {A}, \`b\`: {b}, \`id\`: {id}, \`ﬁ\`: {p_0}, \`😀\`: {p_1}} SET n:\`A\`:\`b\`:\`ﬁ\`:\`😀\`","parameters":{"id":"p1","A":4,"b":3,"p_0":2,"p_1":1},"metadata":null}"`,
    )
  })
})

describe('equal shapes', () => {
  const pairs = createPairMaker('dollar')

  test('share one text, whatever the order and the values', () => {
    const first = pairs.nodeUpsert(person('p1'), fields({ id: 'p1', name: 'Ann' }), ['Person', 'B', 'A'])
    const second = pairs.nodeUpsert(person('p2'), fields({ name: 'Bob', id: 'p2' }), ['A', 'B', 'Person'])
    expect(second.shape).toBe(first.shape)
  })

  test.each([
    ['another key', person('p1'), { id: 'p1', nick: 'Ann' }, ['A']],
    ['a value that needs an expression', person('p1'), { id: 'p1', name: Number.NaN }, ['A']],
    ['a list of such values', person('p1'), { id: 'p1', name: [Number.NaN] }, ['A']],
    ['an id that needs an expression', person(2n ** 60n), { id: 'p1', name: 'Ann' }, ['A']],
    ['another id property', identity('Person', 'name', 'p1'), { id: 'p1', name: 'Ann' }, ['A']],
    ['another label of the identity', identity('A', 'id', 'p1'), { id: 'p1', name: 'Ann' }, ['A']],
    ['another label', person('p1'), { id: 'p1', name: 'Ann' }, ['B']],
    ['no label', person('p1'), { id: 'p1', name: 'Ann' }, []],
  ])('are not those with %s', (_what, node, properties, labels) => {
    const first = pairs.nodeUpsert(person('p1'), fields({ id: 'p1', name: 'Ann' }), ['A'])
    expect(pairs.nodeUpsert(node, fields(properties), labels).shape).not.toEqual(first.shape)
  })

  test('are told apart by direction, type and far end in cleanups', () => {
    const list: KeepList = { clause: { direction: 'out', ...person('p2') }, ids: new Set() }
    const texts = [
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [list]),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'both' }, [list]),
      pairs.cleanup(person('p1'), { type: 'LIKES', direction: 'out' }, [list]),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, []),
      pairs.cleanup(person('p1'), { type: 'KNOWS', direction: 'out' }, [list, list]),
    ].map(({ shape }) => shape.statement)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe('what cannot be published is told in words', () => {
  test.each([
    ['a key with a backslash', 'a\\b', 1n, 'has a property key "a\\\\b" that no statement can name'],
    ['an empty key', '', 1n, 'has a property key "" that no statement can name'],
    ['a byte array', 'photo', new Int8Array([1]), 'has a byte array as its property "photo"'],
    ['a list with one', 'photos', [new Int8Array([1])], 'has a list with a byte array as its property "photos"'],
  ])('%s', (_what, key, value, problem) => {
    expect(fieldsOf({ keys: ['fine', key], values: ['x', value] })).toEqual({ problem })
  })
})
