import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { type ParameterSyntax, render } from '../../../packet/cypher/parameters.ts'
import { cleanup } from '../../../packet/kinds/cleanup.ts'
import type { KeepClause } from '../../../packet/kinds/keep-clauses.ts'
import { parseRelationshipType } from '../../../shared/request/relationship-types.ts'
import { expressionOf } from './statement-text.ts'

const day = new neo4j.types.Date(2024n, 2n, 29n)

/** A clause that keeps one kind of far end. */
const kept = (direction: 'out' | 'in', label: string, idProperty: string, id: unknown = 'x'): KeepClause => ({
  by: 'farEnd',
  direction,
  label,
  idProperty,
  id: expressionOf(id),
})

/** The text of a cleanup of a person, and its parameter names in the order of their values. */
function shown(type: string, clauses: KeepClause[], syntax: ParameterSyntax = 'braces', id: unknown = 'x'): string {
  const person = { label: 'Person', idProperty: 'id', id: expressionOf(id) }
  const { text, bindings } = cleanup(person, parseRelationshipType(type) ?? expect.unreachable(), clauses)
  return `${render(text, syntax)}\n${bindings.map(({ name }) => name).join(', ')}`
}

describe('cleanup in one direction', () => {
  test('a cleanup in one direction keeps outgoing relationships to the listed far ends', () => {
    expect(shown('ACTED_IN>', [kept('out', 'Movie', 'title')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->(m) WHERE NOT coalesce(m:\`Movie\` AND m.\`title\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup in one direction keeps incoming relationships from the listed far ends', () => {
    expect(shown('<DIRECTED', [kept('in', 'Studio', 'name')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})<-[r:\`DIRECTED\`]-(m) WHERE NOT coalesce(m:\`Studio\` AND m.\`name\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup in one direction writes parameters with a dollar for later databases', () => {
    expect(shown('ACTED_IN>', [kept('out', 'Movie', 'title')], 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`ACTED_IN\`]->(m) WHERE NOT coalesce(m:\`Movie\` AND m.\`title\` IN $ids_0, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup in one direction has one list for each kind of far end', () => {
    expect(shown('LIKES>', [kept('out', 'Movie', 'title'), kept('out', 'Person', 'id')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`LIKES\`]->(m) WHERE NOT (coalesce(m:\`Movie\` AND m.\`title\` IN {ids_0}, false) OR coalesce(m:\`Person\` AND m.\`id\` IN {ids_1}, false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })

  test('a cleanup in one direction doubles backticks in types, labels and keys', () => {
    expect(shown('`LI``KES`>', [kept('out', 'Odd`Label', 'i`d')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`LI\`\`KES\`]->(m) WHERE NOT coalesce(m:\`Odd\`\`Label\` AND m.\`i\`\`d\` IN {ids_0}, false) DELETE r
      baseId, ids_0"
    `)
  })
})

describe('cleanup in both directions', () => {
  test('a cleanup in both directions keeps a relationship only in its direction at the origin', () => {
    const clauses = [kept('out', 'Person', 'id'), kept('in', 'Person', 'id')]
    expect(shown('KNOWS', clauses)).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:\`Person\` AND m.\`id\` IN {ids_0}, false) OR endNode(r) = n AND coalesce(m:\`Person\` AND m.\`id\` IN {ids_1}, false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })

  test('a cleanup in both directions with far ends on one side only has one list', () => {
    expect(shown('KNOWS', [kept('in', 'Person', 'id')])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`KNOWS\`]-(m) WHERE NOT (endNode(r) = n AND coalesce(m:\`Person\` AND m.\`id\` IN {ids_0}, false)) DELETE r
      baseId, ids_0"
    `)
  })

  test('a cleanup in both directions writes parameters with a dollar for later databases', () => {
    const clauses = [kept('out', 'Person', 'id'), kept('in', 'Movie', 'title')]
    expect(shown('KNOWS', clauses, 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`KNOWS\`]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:\`Person\` AND m.\`id\` IN $ids_0, false) OR endNode(r) = n AND coalesce(m:\`Movie\` AND m.\`title\` IN $ids_1, false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })
})

describe('cleanup with nothing to keep', () => {
  test('a cleanup with nothing to keep removes all relationships of the type, in both directions', () => {
    expect(shown('ACTED_IN', [])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]-() DELETE r
      baseId"
    `)
  })

  test('a cleanup with nothing to keep removes all outgoing relationships of the type', () => {
    expect(shown('ACTED_IN>', [])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ACTED_IN\`]->() DELETE r
      baseId"
    `)
  })

  test('a cleanup with nothing to keep removes all incoming relationships of the type', () => {
    expect(shown('<ACTED_IN', [])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})<-[r:\`ACTED_IN\`]-() DELETE r
      baseId"
    `)
  })

  test('a cleanup with nothing to keep writes parameters with a dollar for later databases', () => {
    expect(shown('ACTED_IN', [], 'dollar')).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`ACTED_IN\`]-() DELETE r
      baseId"
    `)
  })
})

describe('ids that need an expression', () => {
  test('ids that need an expression are bound once as a list, before the match', () => {
    expect(shown('ON>', [kept('out', 'Day', 'on', day)])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | date(x)] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ON\`]->(m) WHERE NOT coalesce(m:\`Day\` AND m.\`on\` IN ids_0, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('ids that need an expression are bound alongside lists that need no expression', () => {
    const clauses = [kept('out', 'Day', 'on', day), kept('out', 'Person', 'id'), kept('in', 'Number', 'n', 2n ** 60n)]
    expect(shown('NEAR', clauses)).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | date(x)] AS ids_0, [x IN {ids_2} | toInteger(x)] AS ids_2 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`NEAR\`]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:\`Day\` AND m.\`on\` IN ids_0, false) OR startNode(r) = n AND coalesce(m:\`Person\` AND m.\`id\` IN {ids_1}, false) OR endNode(r) = n AND coalesce(m:\`Number\` AND m.\`n\` IN ids_2, false)) DELETE r
      baseId, ids_0, ids_1, ids_2"
    `)
  })

  test('ids that need an expression are bound with a dollar for later databases', () => {
    expect(shown('ON>', [kept('out', 'Day', 'on', day)], 'dollar')).toMatchInlineSnapshot(`
      "WITH [x IN $ids_0 | date(x)] AS ids_0 MATCH (n:\`Person\` {\`id\`: $baseId})-[r:\`ON\`]->(m) WHERE NOT coalesce(m:\`Day\` AND m.\`on\` IN ids_0, false) DELETE r
      baseId, ids_0"
    `)
  })

  test('ids that need an expression and are lists are converted element by element', () => {
    const span = new neo4j.types.Duration(1n, 2n, 3n, 4n)
    expect(shown('ON>', [kept('out', 'Plan', 'spans', [span])])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | [y IN x | duration(y)]] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ON\`]->(m) WHERE NOT coalesce(m:\`Plan\` AND m.\`spans\` IN ids_0, false) DELETE r
      baseId, ids_0"
    `)
  })

  // Neo4j 3.4 looks for a value of IN by its hash, and a stored list of strings has another hash than an equal one.
  test('ids that are lists and need no expression are compared one by one, apart from other ids', () => {
    const lists = kept('out', 'Word', 'texts', ['a', 'b'])
    expect(shown('ON>', [kept('out', 'Word', 'texts', 'a'), lists])).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ON\`]->(m) WHERE NOT (coalesce(m:\`Word\` AND m.\`texts\` IN {ids_0}, false) OR coalesce(m:\`Word\` AND any(x IN {ids_1} WHERE x = m.\`texts\`), false)) DELETE r
      baseId, ids_0, ids_1"
    `)
  })

  // Neo4j looks for a value of IN by its hash, and a stored list of dates has another hash than an equal one.
  test('ids that are lists of dates or times are compared one by one', () => {
    expect(shown('ON>', [kept('out', 'Week', 'days', [day])])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | [[y IN x | date(y)]]] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ON\`]->(m) WHERE NOT coalesce(m:\`Week\` AND any(x IN ids_0 WHERE x[0] = m.\`days\`), false) DELETE r
      baseId, ids_0"
    `)
    const byId: KeepClause = { by: 'relationshipId', field: 'days', id: expressionOf([day]) }
    expect(shown('ON>', [byId])).toMatchInlineSnapshot(`
      "WITH [x IN {ids_0} | [[y IN x | date(y)]]] AS ids_0 MATCH (n:\`Person\` {\`id\`: {baseId}})-[r:\`ON\`]->() WHERE NOT coalesce(any(x IN ids_0 WHERE x[0] = r.\`days\`), false) DELETE r
      baseId, ids_0"
    `)
  })

  test('the id of the node itself, if it needs an expression, is converted in the pattern', () => {
    expect(shown('ON>', [], 'braces', 2n ** 60n)).toMatchInlineSnapshot(`
      "MATCH (n:\`Person\` {\`id\`: toInteger({baseId})})-[r:\`ON\`]->() DELETE r
      baseId"
    `)
  })
})
