import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { relationshipUpsert } from '../../../packet/kinds/relationship-upsert.ts'
import { anchor, fields, shown } from './statement-text.ts'

const { Date: GraphDate } = neo4j.types

describe('relationship upsert', () => {
  const person = anchor('Person', 'id')
  const movie = anchor('Movie', 'title')
  const actedIn = { start: person, type: 'ACTED_IN', end: movie }
  const upsert = (properties: Record<string, unknown>, protectedKeys: string[] = [], idField: string | null = null) =>
    shown(relationshipUpsert(actedIn, fields(properties), protectedKeys, idField))

  test('a relationship upsert merges both ends and the relationship between them, and replaces its properties', () => {
    expect(upsert({ mine: 1n, since: 2n })).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {\`mine\`: {mine}, \`since\`: {since}}
      a_id, b_id, mine, since"
    `)
  })

  test('a relationship upsert clears the properties if there are none', () => {
    expect(upsert({})).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {}
      a_id, b_id"
    `)
  })

  test('a relationship upsert writes parameters with a dollar for later databases', () => {
    expect(shown(relationshipUpsert(actedIn, fields({ since: 2n }), [], null), 'dollar')).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: $a_id}) MERGE (b:\`Movie\` {\`title\`: $b_id}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {\`since\`: $since}
      a_id, b_id, since"
    `)
  })

  test('a relationship upsert doubles backticks in types and keys', () => {
    const odd = { ...actedIn, type: 'ACTED`IN' }
    expect(shown(relationshipUpsert(odd, fields({ 'ro`le': 'x' }), [], null))).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED\`\`IN\`]->(b) SET r = {\`ro\`\`le\`: {p_0}}
      a_id, b_id, p_0"
    `)
  })

  test('a relationship upsert converts values and ids to the types that JSON lacks', () => {
    const day = new GraphDate(2024n, 2n, 29n)
    const statement = relationshipUpsert(
      { start: anchor('Day', 'on', day), type: 'BEFORE', end: anchor('Number', 'n', 2n ** 60n) },
      fields({ at: [Number.NaN] }),
      [],
      null,
    )
    expect(shown(statement)).toMatchInlineSnapshot(`
      "MERGE (a:\`Day\` {\`on\`: date({a_id})}) MERGE (b:\`Number\` {\`n\`: toInteger({b_id})}) MERGE (a)-[r:\`BEFORE\`]->(b) SET r = {\`at\`: [x IN {at} | toFloat(x)]}
      a_id, b_id, at"
    `)
  })

  test('a relationship upsert reserves the parameter names of the ends, but not the name id', () => {
    expect(upsert({ a_id: 1n, b_id: 2n, constructor: 3n, id: 4n, 'role name': 5n })).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {\`a_id\`: {p_0}, \`b_id\`: {p_1}, \`constructor\`: {p_2}, \`id\`: {id}, \`role name\`: {p_3}}
      a_id, b_id, p_0, p_1, p_2, id, p_3"
    `)
  })

  test('a relationship upsert also merges by the relationship id, if there is one', () => {
    expect(upsert({ grn: 'r1', since: 2n }, [], 'grn')).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\` {\`grn\`: {grn}}]->(b) SET r = {\`grn\`: {grn}, \`since\`: {since}}
      a_id, b_id, grn, since"
    `)
  })

  test('a relationship upsert converts a relationship id to a type that JSON lacks, with a free parameter name', () => {
    expect(upsert({ 'my id': 2n ** 60n }, [], 'my id')).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\` {\`my id\`: toInteger({p_0})}]->(b) SET r = {\`my id\`: toInteger({p_0})}
      a_id, b_id, p_0"
    `)
  })

  test('a relationship upsert keeps the target value of a protected property, in key order', () => {
    expect(upsert({ since: 2n }, ['mine'])).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {\`mine\`: r.\`mine\`, \`since\`: {since}}
      a_id, b_id, since"
    `)
    expect(upsert({}, ['mine', 'odd`key'])).toMatchInlineSnapshot(`
      "MERGE (a:\`Person\` {\`id\`: {a_id}}) MERGE (b:\`Movie\` {\`title\`: {b_id}}) MERGE (a)-[r:\`ACTED_IN\`]->(b) SET r = {\`mine\`: r.\`mine\`, \`odd\`\`key\`: r.\`odd\`\`key\`}
      a_id, b_id"
    `)
  })
})
