import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { type ParameterSyntax, render } from '../../../packet/cypher/parameters.ts'
import { cleanup } from '../../../packet/kinds/cleanup.ts'
import type { KeepClause } from '../../../packet/kinds/keep-clauses.ts'
import { parseRelationshipType } from '../../../shared/request/relationship-types.ts'
import { expressionOf } from './statement-text.ts'

const day = new neo4j.types.Date(2024n, 2n, 29n)

/** The text of a cleanup of a person, and its parameter names in the order of their values. */
function shown(type: string, clauses: KeepClause[], syntax: ParameterSyntax = 'braces', id: unknown = 'x'): string {
  const person = { label: 'Person', idProperty: 'id', id: expressionOf(id) }
  const { text, bindings } = cleanup(person, parseRelationshipType(type) ?? expect.unreachable(), clauses)
  return `${render(text, syntax)}\n${bindings.map(({ name }) => name).join(', ')}`
}

describe('cleanup by relationship id', () => {
  const byId = (id: unknown = 'r1'): KeepClause => ({ by: 'relationshipId', field: 'grn', id: expressionOf(id) })

  test('a cleanup by relationship id keeps the listed relationships to any far end, in the followed direction', () => {
    expect(shown('ACTED_IN>', [byId()])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->() WHERE NOT coalesce(r.\`grn\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
    expect(shown('<ACTED_IN', [byId()])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})<-[r:\`ACTED_IN\`]-() WHERE NOT coalesce(r.\`grn\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
    expect(shown('ACTED_IN', [byId()])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]-() WHERE NOT coalesce(r.\`grn\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup by relationship id has one list for each expression that the ids need', () => {
    expect(shown('ACTED_IN', [byId(1n), byId(2n ** 60n)])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_1} | toInteger(x)] AS ids_1 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]-() WHERE NOT (coalesce(r.\`grn\` IN {ids_0}, false) OR coalesce(r.\`grn\` IN ids_1, false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })
})

describe('cleanup by far end and relationship id', () => {
  const both = (direction: 'out' | 'in', id: unknown, relationshipId: unknown): KeepClause => ({
    by: 'farEndAndId',
    direction,
    label: 'Movie',
    idProperty: 'title',
    id: expressionOf(id),
    field: 'grn',
    relationshipId: expressionOf(relationshipId),
  })

  test('a cleanup by far end and relationship id keeps the listed pairs', () => {
    expect(shown('ACTED_IN>', [both('out', 'm1', 'r1')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
    expect(shown('ACTED_IN', [both('out', 'm1', 'r1'), both('in', 'm1', 'r1')], 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`ACTED_IN\`]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN $ids_0, false) OR endNode(r) = n AND coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN $ids_1, false)) DELETE r
      baseId, ids_0, ids_1"
    `)
    expect(shown('ACTED_IN', [both('in', 'm1', 'r1')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]-(m) WHERE NOT (endNode(r) = n AND coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN {ids_0}, false)) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup by far end and relationship id has one list for each two expressions, bound once', () => {
    const clauses = [both('out', 'm1', 1n), both('out', 'm1', 2n ** 60n), both('out', day, 1n), both('out', day, day)]
    expect(shown('ACTED_IN>', clauses)).toMatchInlineSnapshot(`
      "WITH [x IN {ids_1} | [x[0], toInteger(x[1])]] AS ids_1, [x IN {ids_2} | [date(x[0]), x[1]]] AS ids_2, [x IN {ids_3} | [date(x[0]), date(x[1])]] AS ids_3 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT (coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN {ids_0}, false) OR coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN ids_1, false) OR coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN ids_2, false) OR coalesce(m:\`Movie\` AND [m.\`title\`, r.\`grn\`] IN ids_3, false)) DELETE r
      baseId, ids_0, ids_1, ids_2, ids_3"
    `)
  })

  test('a cleanup by far end and relationship id compares lists without an expression pair by pair', () => {
    expect(shown('ACTED_IN>', [both('out', 'm1', ['a', 'b']), both('out', 2n ** 60n, [1n])])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_1} | [toInteger(x[0]), x[1]]] AS ids_1 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT (coalesce(m:\`Movie\` AND any(x IN {ids_0} WHERE x = [m.\`title\`, r.\`grn\`]), false) OR coalesce(m:\`Movie\` AND any(x IN ids_1 WHERE x = [m.\`title\`, r.\`grn\`]), false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })

  test('a cleanup by far end and relationship id compares lists of dates or times one by one', () => {
    expect(shown('ACTED_IN>', [both('out', 'm1', [day])])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | [x[0], [y IN x[1] | date(y)]]] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT coalesce(m:\`Movie\` AND any(x IN ids_0 WHERE x[0] = m.\`title\` AND x[1] = r.\`grn\`), false) DELETE r
      baseId, ids_0"
    `)
    expect(shown('ACTED_IN>', [both('out', [day], 'r1')])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | [[y IN x[0] | date(y)], x[1]]] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT coalesce(m:\`Movie\` AND any(x IN ids_0 WHERE x[0] = m.\`title\` AND x[1] = r.\`grn\`), false) DELETE r
      baseId, ids_0"
    `)
  })
})
