import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { type NodeChanges, nodeUpsert } from '../../../packet/kinds/node-upsert.ts'
import { anchor, expressionOf, fields, shown } from './statement-text.ts'

const { Date: GraphDate, Point } = neo4j.types

const changes = (some: Partial<NodeChanges> = {}): NodeChanges => ({
  protectedKeys: [],
  added: [],
  removed: [],
  ...some,
})

describe('node upsert', () => {
  const person = anchor('Person', 'id')
  const upsert = (properties: Record<string, unknown>, some: Partial<NodeChanges> = {}, node = person) =>
    shown(nodeUpsert(node, fields(properties), changes(some)))

  test('a node upsert merges a node by its id and replaces its properties', () => {
    expect(upsert({ id: 'x', name: 'Ann' })).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`id\`: {id}, \`name\`: {name}}
      id, name"
    `)
  })

  test('a node upsert writes parameters with a dollar for later databases', () => {
    const statement = nodeUpsert(person, fields({ id: 'x', name: 'Ann' }), changes({ added: ['Actor'] }))
    expect(shown(statement, 'dollar')).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: $id}) SET n = {\`id\`: $id, \`name\`: $name} SET n:\`Actor\`
      id, name"
    `)
  })

  test('a node upsert adds every other label', () => {
    expect(upsert({ id: 'x' }, { added: ['Actor', 'Odd`Label'] })).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`id\`: {id}} SET n:\`Actor\`:\`Odd\`\`Label\`
      id"
    `)
  })

  test('a node upsert uses two parameters for an id property that is not named id', () => {
    expect(upsert({ name: 'Heat', title: 'x' }, {}, anchor('Movie', 'title'))).toMatchInlineSnapshot(`
      "MERGE (n:\`Movie\` {\`title\`: {id}}) SET n = {\`name\`: {name}, \`title\`: {title}}
      id, name, title"
    `)
  })

  test('a node upsert separates a property named id from an id property of another name', () => {
    expect(upsert({ id: 1n, p_0: 2n, title: 'x' }, {}, anchor('Movie', 'title'))).toMatchInlineSnapshot(`
      "MERGE (n:\`Movie\` {\`title\`: {id}}) SET n = {\`id\`: {p_1}, \`p_0\`: {p_0}, \`title\`: {title}}
      id, p_1, p_0, title"
    `)
  })

  test('a node upsert doubles backticks in labels and keys', () => {
    const odd = anchor('Odd`Label', 'i`d')
    expect(upsert({ 'i`d': 'x', 'na`me': 'y' }, {}, odd)).toMatchInlineSnapshot(`
      "MERGE (n:\`Odd\`\`Label\` {\`i\`\`d\`: {id}}) SET n = {\`i\`\`d\`: {p_0}, \`na\`\`me\`: {p_1}}
      id, p_0, p_1"
    `)
  })

  test('a node upsert converts values to the types that JSON lacks', () => {
    const values = {
      big: 2n ** 60n,
      born: new GraphDate(2024n, 2n, 29n),
      days: [new GraphDate(2024n, 2n, 29n)],
      id: 'x',
      nan: Number.NaN,
      place: new Point(7203n, 1, 2),
      small: [1n, 2n],
    }
    expect(upsert(values)).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`big\`: toInteger({big}), \`born\`: date({born}), \`days\`: [x IN {days} | date(x)], \`id\`: {id}, \`nan\`: toFloat({nan}), \`place\`: point({place}), \`small\`: {small}}
      id, big, born, days, nan, place, small"
    `)
  })

  test('a node upsert converts an id to a type that JSON lacks, in both places', () => {
    expect(upsert({ id: 2n ** 60n }, {}, anchor('Person', 'id', 2n ** 60n))).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: toInteger({id})}) SET n = {\`id\`: toInteger({id})}
      id"
    `)
    const day = new GraphDate(2024n, 2n, 29n)
    expect(upsert({ on: [day] }, {}, anchor('Day', 'on', [day]))).toMatchInlineSnapshot(`
      "MERGE (n:\`Day\` {\`on\`: [x IN {id} | date(x)]}) SET n = {\`on\`: [x IN {on} | date(x)]}
      id, on"
    `)
  })

  test('a node upsert numbers the parameters of keys that are not valid names, or are reserved', () => {
    const keys = [
      '1st',
      '__proto__',
      'a b',
      'a.b',
      'a_id',
      'b_id',
      'baseId',
      'constructor',
      'endId',
      'id',
      'ids',
      'ids_0',
      'ids_x',
    ]
    const more = ['naïve', 'p_0', 'prototype', 'startId']
    const properties = [...keys, ...more].map((key) => ({ key, value: expressionOf('x') }))
    expect(shown(nodeUpsert(person, properties, changes()))).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`1st\`: {p_1}, \`__proto__\`: {p_2}, \`a b\`: {p_3}, \`a.b\`: {p_4}, \`a_id\`: {p_5}, \`b_id\`: {p_6}, \`baseId\`: {p_7}, \`constructor\`: {p_8}, \`endId\`: {p_9}, \`id\`: {id}, \`ids\`: {p_10}, \`ids_0\`: {p_11}, \`ids_x\`: {ids_x}, \`naïve\`: {p_12}, \`p_0\`: {p_0}, \`prototype\`: {p_13}, \`startId\`: {p_14}}
      id, p_1, p_2, p_3, p_4, p_5, p_6, p_7, p_8, p_9, p_10, p_11, ids_x, p_12, p_0, p_13, p_14"
    `)
  })

  test('a node upsert removes labels after adding others', () => {
    expect(upsert({ id: 'x' }, { added: ['Actor'], removed: ['Odd`Label', 'Retired'] })).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`id\`: {id}} SET n:\`Actor\` REMOVE n:\`Odd\`\`Label\`:\`Retired\`
      id"
    `)
  })

  test('a node upsert keeps the target value of a protected property, in key order', () => {
    const protects = { protectedKeys: ['a key', 'secret'], added: ['Actor'], removed: ['Retired'] }
    expect(upsert({ id: 'x', name: 'Ann', zip: '1' }, protects)).toMatchInlineSnapshot(`
      "MERGE (n:\`Person\` {\`id\`: {id}}) SET n = {\`a key\`: n.\`a key\`, \`id\`: {id}, \`name\`: {name}, \`secret\`: n.\`secret\`, \`zip\`: {zip}} SET n:\`Actor\` REMOVE n:\`Retired\`
      id, name, zip"
    `)
  })
})
