import { describe, expect, test } from 'vitest'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { relationshipDelete } from '../../../packet/kinds/relationship-delete.ts'
import { anchor, expressionOf, shown } from './statement-text.ts'

const person = { label: 'Person', idProperty: 'id' }
const day = { wrap: 'date' as const, list: false }

describe('node delete', () => {
  test('a node delete looks for all ids at once, converted if JSON has no such type', () => {
    expect(shown(nodeDelete(person, expressionOf('x')))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\`) WHERE n.\`id\` IN {ids} DETACH DELETE n
      ids"
    `)
    expect(shown(nodeDelete(person, day), 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\`) WHERE n.\`id\` IN [x IN $ids | date(x)] DETACH DELETE n
      ids"
    `)
  })

  test('a node delete leaves a node alone that has another identity now', () => {
    const except = [anchor('Movie', 'title'), anchor('Odd`name', 'n', 2n ** 60n)]
    expect(shown(nodeDelete(person, expressionOf('x'), except))).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\`) WHERE n.\`id\` IN {ids} AND NOT coalesce(n:\`Movie\` AND n.\`title\` = {kept_0}, false) AND NOT coalesce(n:\`Odd\`\`name\` AND n.\`n\` = toInteger({kept_1}), false) DETACH DELETE n
      ids, kept_0, kept_1"
    `)
  })

  test('ids that are lists are looked for one by one, because IN does not always find them', () => {
    const days = { wrap: 'date' as const, list: true }
    expect(shown(nodeDelete(person, expressionOf(['x'])))).toMatchInlineSnapshot(`
      "UNWIND {ids} AS x MATCH (n:\`Person\` {\`id\`: x}) DETACH DELETE n
      ids"
    `)
    expect(shown(nodeDelete(person, days, [anchor('Movie', 'title')]), 'dollar')).toMatchInlineSnapshot(`
      "UNWIND $ids AS x MATCH (n:\`Person\` {\`id\`: [y IN x | date(y)]}) WHERE NOT coalesce(n:\`Movie\` AND n.\`title\` = $kept_0, false) DETACH DELETE n
      ids, kept_0"
    `)
  })
})

describe('relationship delete', () => {
  const ends = { start: anchor('Person', 'id'), type: 'ACTED_IN', end: anchor('Movie', 'title') }

  test('a relationship delete names any number of relationships by their ends', () => {
    expect(shown(relationshipDelete(ends, null))).toMatchInlineSnapshot(`
      "UNWIND {ends} AS x MATCH (a:\`Person\` {\`id\`: x[0]}) MATCH (b:\`Movie\` {\`title\`: x[1]}) OPTIONAL MATCH (a)-[r:\`ACTED_IN\`]->(b) DELETE r
      ends"
    `)
  })

  test('a relationship delete tells parallel relationships apart by their own ids', () => {
    const id = { key: 'grn', value: expressionOf('x') }
    expect(shown(relationshipDelete(ends, id), 'dollar')).toMatchInlineSnapshot(`
      "UNWIND $ends AS x MATCH (a:\`Person\` {\`id\`: x[0]}) MATCH (b:\`Movie\` {\`title\`: x[1]}) OPTIONAL MATCH (a)-[r:\`ACTED_IN\` {\`grn\`: x[2]}]->(b) DELETE r
      ends"
    `)
  })

  test('each id of a relationship delete has the expression that it needs', () => {
    const lists = { wrap: 'date' as const, list: true }
    const typed = { start: anchor('Number', 'n', 2n ** 60n), type: 'AT', end: { ...anchor('Day', 'days'), id: lists } }
    const id = { key: 'at', value: { wrap: 'durationByFields' as const, list: false } }
    expect(shown(relationshipDelete(typed, id))).toMatchInlineSnapshot(`
      "UNWIND {ends} AS x MATCH (a:\`Number\` {\`n\`: toInteger(x[0])}) MATCH (b:\`Day\` {\`days\`: [y IN x[1] | date(y)]}) OPTIONAL MATCH (a)-[r:\`AT\` {\`at\`: duration({months: toInteger(x[2].months), days: toInteger(x[2].days), seconds: toInteger(x[2].seconds), nanoseconds: toInteger(x[2].nanoseconds)})}]->(b) DELETE r
      ends"
    `)
  })
})
