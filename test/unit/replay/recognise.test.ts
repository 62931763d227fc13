import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParameterSyntax, render } from '../../../packet/cypher/parameters.ts'
import { statementOf } from '../../../packet/kinds/kinds.ts'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { createRecogniser, recognise } from '../../../packet/recognise.ts'
import { busySeconds } from '../../support/programs/busy-seconds.ts'
import { fieldsOf, nodeUpsertOf, relationshipUpsertOf } from '../../support/replay/upserts.ts'
import { anyProperties } from '../any-value.ts'
import { anyName, anyStructure } from './any-structure.ts'

const syntaxes: ParameterSyntax[] = ['dollar', 'braces']

describe('a statement of the service', () => {
  test('a statement of the service is read back as what it was written from, whatever its names and values', () => {
    fc.assert(
      fc.property(anyStructure, fc.constantFrom(...syntaxes), (structure, syntax) => {
        const { text, bindings } = statementOf(structure)
        const recognised = recognise(render(text, syntax))
        expect(recognised).toMatchObject(structure)
        expect(render(recognised?.text ?? [], syntax)).toBe(render(text, syntax))
        expect(recognised?.parameters).toEqual([...new Set(bindings.map(({ name }) => name))])
      }),
      { numRuns: 3_000 },
    )
  })

  test('a statement of the service is recognised for any properties of an origin, in both forms of numbers', () => {
    const properties = anyProperties(['id', 'name', 'p_0', 'a_id', 'odd `key', '{id}', '$id', 'born', 'seen', 'at'])
    const fields = fc
      .tuple(properties, fc.constantFrom('plain' as const, 'strict' as const))
      .map(([one, numbers]) => fieldsOf(one, numbers))
    fc.assert(
      fc.property(fields, anyName, fc.constantFrom(...syntaxes), (some, name, syntax) => {
        const make = createPairMaker(syntax)
        const [id, ...others] = some
        if (id === undefined || id.key === 'stamp' || id.key === name) return
        const node = { label: name, idProperty: id.key, id: id.value }
        const ends = { start: node, type: name, end: { ...node, idProperty: 'other' } }
        const stamp = { key: 'stamp', value: id.value }
        const pairs = [
          nodeUpsertOf(make, node, some, { protectedKeys: ['\uffff', ' '], added: [name], removed: ['Old'] }),
          relationshipUpsertOf(make, ends, others, [], others[0]?.key ?? null),
          make.postbackNode(node, stamp),
          make.postbackRelationship(ends, id, stamp),
          make.deleteProperties(node, [name]),
        ]
        const kinds = pairs.map(({ shape }) => recognise(JSON.parse(shape.statement))?.kind)
        expect(kinds).toEqual(['nodeUpsert', 'relationshipUpsert', 'postback', 'postback', 'deleteProperties'])
      }),
      { numRuns: 1_000 },
    )
  })
})

const upsert = 'MERGE (n:`P` {`id`: $id}) SET n = {`id`: $id, `name`: $name}'
const relationship =
  'MERGE (a:`P` {`id`: $a_id}) MERGE (b:`P` {`id`: $b_id}) MERGE (a)-[r:`T`]->(b) SET r = {`since`: $since}'
const cleanup =
  'WITH [x IN $ids_0 | date(x)] AS ids_0 MATCH (n:`P` {`id`: $baseId})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r'

test('the statements that the hostile ones below are made from are recognised', () => {
  expect([upsert, relationship, cleanup].map((text) => recognise(text)?.kind)).toEqual([
    'nodeUpsert',
    'relationshipUpsert',
    'cleanup',
  ])
})

test.each([
  ['an empty text', ''],
  ['a load of a file', "LOAD CSV FROM 'http://example.org/' AS line CREATE (n)"],
  ['a procedure', "CALL dbms.security.createUser('a', 'b', false)"],
  ['a procedure in a subquery', `CALL { ${upsert} }`],
  ['a delete of everything', 'MATCH (n) DETACH DELETE n'],
  ['a delete of a label', 'MATCH (n:`P`) DETACH DELETE n'],
  ['an escaped backtick in an identifier', upsert.replace('`name`', '`name\\u0060: 1}) DELETE n //`')],
  ['a backslash in an identifier', upsert.replace('`name`', '`na\\\\me`')],
  ['a control character in an identifier', upsert.replace('`name`', '`na\u0000me`')],
  ['an empty identifier', upsert.replace('`name`', '``')],
  ['an identifier without an end', upsert.replace('`name`: $name}', '`name')],
  ['an unquoted identifier', upsert.replace('`P`', 'P')],
  ['a comment in between', upsert.replace(' SET', ' /* */ SET')],
  ['a comment at the end', `${upsert} // and so on`],
  ['a second statement', `${upsert}; MATCH (n) DELETE n`],
  ['a semicolon', `${upsert};`],
  ['a trailing clause', `${upsert} DETACH DELETE n`],
  ['a trailing space', `${upsert} `],
  ['a leading space', ` ${upsert}`],
  ['two spaces', upsert.replace(' SET', '  SET')],
  ['another variable', upsert.replaceAll('(n:', '(m:').replace('SET n', 'SET m')],
  ['another variable in one place', upsert.replace('SET n', 'SET m')],
  ['a property of another variable', upsert.replace('$name', 'm.`name`')],
  ['another property of the node', upsert.replace('$name', 'n.`id`')],
  ['a function that the service does not write', upsert.replace('$name', 'apoc.load.json($name)')],
  ['another function', upsert.replace('$name', 'toString($name)')],
  ['a function in a function', upsert.replace('$name', 'date(date($name))')],
  ['a literal', upsert.replace('$name', '1')],
  ['a subquery as a value', upsert.replace('$name', 'COUNT { MATCH (x) }')],
  ['a parameter of another name', upsert.replace('$name', '$other')],
  ['another parameter as the id', upsert.replace('{`id`: $id})', '{`id`: $name})')],
  ['both parameter syntaxes', upsert.replace('$name', '{name}')],
  ['keys in another order', 'MERGE (n:`P` {`id`: $id}) SET n = {`name`: $name, `id`: $id}'],
  ['a key twice', upsert.replace('`name`: $name', '`id`: $id')],
  ['an upsert that adds to the properties', upsert.replace('SET n =', 'SET n +=')],
  ['a relationship in the other direction', relationship.replace('(a)-[r:`T`]->(b)', '(a)<-[r:`T`]-(b)')],
  ['a relationship without direction', relationship.replace(']->(b)', ']-(b)')],
  ['a relationship of any length', relationship.replace('[r:`T`]', '[r:`T`*]')],
  ['a cleanup that deletes nodes', cleanup.replace('DELETE r', 'DETACH DELETE m')],
  ['a cleanup of a list that it does not bind', cleanup.replace('IN ids_0', 'IN ids_1')],
  ['a cleanup that binds another list', cleanup.replace('AS ids_0', 'AS ids_1')],
  ['a cleanup without its list', cleanup.replace(' WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false)', '')],
  ['a cleanup of any type', cleanup.replace('[r:`T`]', '[r]')],
  ['an upsert without the id among its properties', upsert.replace('SET n = {`id`: $id, ', 'SET n = {')],
  ['an upsert that sets nothing', 'MERGE (n:`P` {`id`: $id}) SET n = {}'],
  ['an upsert that keeps the id of the target', upsert.replace('`id`: $id, `name`', '`id`: n.`id`, `name`')],
  ['an upsert that converts the id differently', upsert.replace('SET n = {`id`: $id', 'SET n = {`id`: date($id)')],
  ['an upsert that removes the label of the identity', `${upsert} REMOVE n:\`A\`:\`P\``],
  ['a delete of the id property', 'MATCH (n:`P` {`id`: $id}) REMOVE n.`a`, n.`id`'],
  ['a stamp as the id', 'MATCH (n:`P` {`id`: $id}) SET n.`id` = $p_0'],
  [
    'a stamp as the id of a relationship',
    'MATCH (a:`P` {`id`: $a_id})-[r:`T` {`rid`: $rid}]->(b:`P` {`id`: $b_id}) SET r.`rid` = $rid',
  ],
  ['a grouped statement', `UNWIND $rows AS row ${upsert.replaceAll('$', 'row.')}`],
  ['a key word in small letters', upsert.replace('MERGE', 'merge')],
])('%s is not recognised', (_what, text) => {
  expect(recognise(text)).toBeNull()
})

test('a cleanup that earlier versions wrote for ids that are lists of dates is read, and run as it is written now', () => {
  const written =
    'WITH [x IN $ids_0 | [y IN x | date(y)]] AS ids_0 MATCH (n:`P` {`id`: $baseId})-[r:`T`]->(m) WHERE NOT coalesce(m:`D` AND m.`id` IN ids_0, false) DELETE r'
  const recognised = recognise(written)
  expect(recognised).toMatchObject({ kind: 'cleanup', statement: written, parameters: ['baseId', 'ids_0'] })
  const now = render(recognised?.text ?? [], 'dollar')
  expect(now).toContain('any(x IN ids_0 WHERE x[0] = m.`id`)')
  expect(recognise(now)).toEqual({ ...recognised, statement: now })
  expect(recognise(written.replaceAll('date(y)', 'date(x)'))).toBeNull()
})

test('texts as long as a part are read in linear time', () => {
  const longest = 16_000_000
  const open = `MERGE (n:\`P\` {\`id\`: $id}) SET n = {${'`a`: $a, '.repeat(longest / 9)}`
  const texts = ['`'.repeat(longest), '{'.repeat(longest), '[x IN '.repeat(longest / 6), '``'.repeat(longest / 2)]
  const seconds = busySeconds(() => {
    expect(recognise(open)).toBeNull()
    for (const text of texts) {
      for (const start of ['', 'MERGE (n:', 'MERGE (n:`P` {`id`: ', 'MATCH (n:`P` {`id`: $id}) REMOVE n.', 'WITH ']) {
        expect(recognise(start + text)).toBeNull()
      }
    }
  })
  expect(seconds).toBeLessThan(20)
})

test('a text as long as the largest pair is recognised, and no longer one', () => {
  const keys = Array.from({ length: 800 }, (_, at) => `n.\`${`${at}`.padStart(50_000, 'x')}\``)
  const text = `MATCH (n:\`P\` {\`id\`: $id}) REMOVE ${keys.join(', ')}`
  expect(text.length).toBeGreaterThan(32_000_000)
  expect(recognise(text)?.kind).toBe('deleteProperties')
  expect(recognise(`${text}, ${keys.join(', ')}`)).toBeNull()
})

test('a recogniser answers the same for texts that it remembers, and keeps few', () => {
  const recogniser = createRecogniser()
  expect(recogniser(upsert)).toBe(recogniser(upsert))
  expect(recogniser('no statement')).toBeNull()
  expect(recogniser('no statement')).toBeNull()
  const long = (name: string) => upsert.replace('`P`', `\`${name.repeat(60_000)}\``)
  const first = recogniser(long('A'))
  for (let at = 0; at < 200; at++) recogniser(long(String.fromCharCode(0x100 + at)))
  expect(recogniser(long('A'))).not.toBe(first)
  expect(recogniser(long('A'))).toEqual(first)
})
