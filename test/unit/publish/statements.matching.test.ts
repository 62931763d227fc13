import { describe, expect, test } from 'vitest'
import { deleteProperties } from '../../../packet/kinds/delete-properties.ts'
import { postbackNode, postbackRelationship } from '../../../packet/kinds/postback.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { anchor, expressionOf, shown } from './statement-text.ts'

const person = anchor('Person', 'id')
const stamp = (key: string) => ({ key, value: expressionOf(1_700_000_000_000n) })
const strictStamp = { key: 'publishedAt', value: renderValue(1_700_000_000_000n, 'strict') ?? expect.unreachable() }
const actedIn = { start: person, type: 'ACTED_IN', end: anchor('Movie', 'title') }

describe('property delete', () => {
  test('a property delete removes every listed key in one statement', () => {
    expect(shown(deleteProperties(person, ['a', 'odd`key']))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {id}}) REMOVE n.\`a\`, n.\`odd\`\`key\`
      id"
    `)
  })

  test('a property delete writes parameters with a dollar for later databases', () => {
    expect(shown(deleteProperties(anchor('Movie', 'title'), ['a']), 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Movie\` {\`title\`: $id}) REMOVE n.\`a\`
      id"
    `)
  })
})

describe('postback of a node', () => {
  test('a postback of a node stamps an existing node', () => {
    expect(shown(postbackNode(person, stamp('publishedAt')))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {id}}) SET n.\`publishedAt\` = {publishedAt}
      id, publishedAt"
    `)
  })

  test('a postback of a node writes parameters with a dollar for later databases', () => {
    expect(
      shown(postbackNode(anchor('Number', 'n', 2n ** 60n), stamp('publishedAt')), 'dollar'),
    ).toMatchInlineSnapshot(`
      "MATCH (n:\`Number\` {\`n\`: toInteger($id)}) SET n.\`publishedAt\` = $publishedAt
      id, publishedAt"
    `)
  })

  test('a postback of a node keeps the timestamp an integer for clients that send every number as a float', () => {
    expect(shown(postbackNode(person, strictStamp))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {id}}) SET n.\`publishedAt\` = toInteger({publishedAt})
      id, publishedAt"
    `)
    expect(shown(postbackRelationship(actedIn, null, strictStamp))).toMatchInlineSnapshot(`
      "MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`ACTED_IN\`]->(b:\`Movie\` {\`title\`: {b_id}}) SET r.\`publishedAt\` = toInteger({publishedAt})
      a_id, b_id, publishedAt"
    `)
  })

  test('a postback of a node uses separate parameters for the timestamp and the id', () => {
    expect(shown(postbackNode(anchor('Movie', 'title'), stamp('id')))).toMatchInlineSnapshot(`
      "MATCH (n:\`Movie\` {\`title\`: {id}}) SET n.\`id\` = {p_0}
      id, p_0"
    `)
    expect(shown(postbackNode(person, stamp('published at')))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {id}}) SET n.\`published at\` = {p_0}
      id, p_0"
    `)
  })
})

describe('postback of a relationship', () => {
  const grn = { key: 'grn', value: expressionOf('r1') }

  test('a postback of a relationship stamps the relationships between two existing nodes', () => {
    expect(shown(postbackRelationship(actedIn, null, stamp('publishedAt')))).toMatchInlineSnapshot(`
      "MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`ACTED_IN\`]->(b:\`Movie\` {\`title\`: {b_id}}) SET r.\`publishedAt\` = {publishedAt}
      a_id, b_id, publishedAt"
    `)
  })

  test('a postback of a relationship stamps the relationship with the given id', () => {
    expect(shown(postbackRelationship(actedIn, grn, stamp('publishedAt')))).toMatchInlineSnapshot(`
      "MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`ACTED_IN\` {\`grn\`: {grn}}]->(b:\`Movie\` {\`title\`: {b_id}}) SET r.\`publishedAt\` = {publishedAt}
      a_id, b_id, grn, publishedAt"
    `)
  })

  test('a postback of a relationship writes parameters with a dollar for later databases', () => {
    expect(shown(postbackRelationship(actedIn, grn, stamp('publishedAt')), 'dollar')).toMatchInlineSnapshot(`
      "MATCH (a:\`Person\` {\`id\`: $a_id})-[r:\`ACTED_IN\` {\`grn\`: $grn}]->(b:\`Movie\` {\`title\`: $b_id}) SET r.\`publishedAt\` = $publishedAt
      a_id, b_id, grn, publishedAt"
    `)
  })

  test('a postback of a relationship uses separate parameters for the timestamp and the ids', () => {
    expect(shown(postbackRelationship(actedIn, { ...grn, key: 'my id' }, stamp('a_id')))).toMatchInlineSnapshot(`
      "MATCH (a:\`Person\` {\`id\`: {a_id}})-[r:\`ACTED_IN\` {\`my id\`: {p_0}}]->(b:\`Movie\` {\`title\`: {b_id}}) SET r.\`a_id\` = {p_1}
      a_id, b_id, p_0, p_1"
    `)
  })
})
