import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hashOf } from '../../../client/replay/order/node-hashes.ts'
import { runCli } from '../../support/clients/cli.ts'
import { cleanup, converted, knows, linesOf, pair, person, textOf } from '../../support/clients/converted.ts'

describe('rows', () => {
  test('a node is written once, with all its properties, wherever relationships name it first', async () => {
    const ran = await converted([
      [knows('a', 'b'), knows('b', 'b')],
      [person('a', { name: 'Ann' }, ' SET n:`Actor`'), knows('a', 'b')],
      [person('a', { name: 'Ann' }, ' SET n:`Actor`')],
    ])
    expect(ran).toMatchObject({ code: 0, stderr: '', left: ['out'] })
    expect(linesOf(ran, 'nodes-1.csv')).toEqual([
      `"0'a","Person\ufdd0Actor","a","Ann"`,
      `"0'b","Person","b",`,
      ':ID,:LABEL,"id:string","name:string"',
    ])
    expect(linesOf(ran, 'relationships-1.csv')).toEqual([
      `"0'a","0'b","KNOWS"`,
      `"0'b","0'b","KNOWS"`,
      ':START_ID,:END_ID,:TYPE',
    ])
    expect(textOf(ran, 'schema.cypher')).toBe(
      'CREATE CONSTRAINT IF NOT EXISTS FOR (n:`Person`) REQUIRE n.`id` IS UNIQUE;\n',
    )
    expect(readdirSync(ran.out).sort()).toEqual(['import.sh', 'nodes-1.csv', 'relationships-1.csv', 'schema.cypher'])
  })

  test('a node keeps its properties if a relationship names it after other nodes have taken its place in the cache', async () => {
    const placeOf = (id: string) => hashOf(`"0'${id}"`) % 65_536
    const others = Array.from({ length: 1_000_000 }, (_, index) => `o${index}`)
    const other = others.find((id) => placeOf(id) === placeOf('a'))
    const ran = await converted([[person('a', { name: 'Ann' }), knows(other, other), knows('a', 'a')]])
    expect(linesOf(ran, 'nodes-1.csv')[0]).toBe(`"0'a","Person","a","Ann"`)
  })

  test('ids that are equal to MERGE are one node, and others are not', async () => {
    const ran = await converted([[knows(1, '1'), knows(1, 2)]])
    expect(linesOf(ran, 'nodes-1.csv').map((line) => line.split(',')[0])).toEqual(['"0=1"', '"0=2"', ':ID'])
    expect(linesOf(ran, 'nodes-2.csv')).toEqual([`"0'1","Person","1"`, ':ID,:LABEL,"id:string"'])
  })

  test('parallel relationships stay as many as their ids', async () => {
    const byId = (id: string) => knows('a', 'b', { grn: id }, ' {`grn`: $grn}')
    const ran = await converted([[byId('1'), byId('2')], [byId('2')]])
    expect(linesOf(ran, 'relationships-1.csv')).toEqual([
      `"0'a","0'b","KNOWS","1"`,
      `"0'a","0'b","KNOWS","2"`,
      ':START_ID,:END_ID,:TYPE,"grn:string"',
    ])
  })

  test('values of two types under one name are in two files, and a missing value is an empty field', async () => {
    const ran = await converted([[person('a', { x: 1 }), person('b', { x: 'one' }), person('c', { y: '' })]])
    expect(linesOf(ran, 'nodes-1.csv')).toEqual([
      `"0'a","Person","a",1,`,
      `"0'c","Person","c",,""`,
      ':ID,:LABEL,"id:string","x:long","y:string"',
    ])
    expect(linesOf(ran, 'nodes-2.csv')).toEqual([`"0'b","Person","b","one"`, ':ID,:LABEL,"id:string","x:string"'])
  })

  test('an empty packet becomes a file without rows, which the importer demands', async () => {
    const ran = await converted([[]])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(textOf(ran, 'nodes-1.csv')).toBe(':ID,:LABEL\n')
    expect(textOf(ran, 'import.sh')).not.toContain('--relationships')
  })

  test('--json says how many nodes and relationships there are, and the commands', async () => {
    const ran = await converted([[person('a'), knows('a', 'b')]], '--json', '--database', 'people')
    expect(JSON.parse(ran.stdout)).toEqual({
      source: ran.packet,
      directory: ran.out,
      database: 'people',
      importer: '5',
      pairs: 2,
      nodes: 2,
      relationships: 1,
      byZoneData: 0,
      files: [
        { elements: 'nodes', file: 'nodes-1.csv', rows: 2 },
        { elements: 'relationships', file: 'relationships-1.csv', rows: 1 },
      ],
      commands: {
        import: `sh ${ran.out}/import.sh`,
        schema: `cypher-shell -d people -f ${ran.out}/schema.cypher`,
        verify: `packets verify ${ran.packet} --to URL --database people`,
      },
    })
  })
})

describe('refusals', () => {
  const stamp = pair('MATCH (n:`Person` {`id`: $id}) SET n.`at` = $at', { id: 'a', at: 1 })
  const removed = pair('MATCH (n:`Person` {`id`: $id}) REMOVE n.`name`', { id: 'a' })
  const deleted = pair('MATCH (n:`Person`) WHERE n.`id` IN $ids DETACH DELETE n', { ids: ['a'] })
  const ends = 'MATCH (a:`Person` {`id`: $startId}) MATCH (b:`Person` {`id`: $endId})'
  const unlinked = pair(
    'UNWIND $ends AS x MATCH (a:`Person` {`id`: x[0]}) MATCH (b:`Person` {`id`: x[1]}) OPTIONAL MATCH (a)-[r:`KNOWS`]->(b) DELETE r',
    { ends: [['a', 'b']] },
  )
  const created = pair(`${ends} MERGE (a)-[:\`KNOWS\`]->(b)`, { startId: 'a', endId: 'b' })

  test.each([
    ['an empty list', [person('a', { tags: [] })], ':Person.tags: an empty list, at part 1, pair 1'],
    ['one of a relationship', [knows('a', 'b', { tags: [] })], '(:Person)-[:KNOWS]->(:Person).tags: an empty list'],
    ['an odd name', [pair('MERGE (n:`A` {`i(`: $id}) SET n = {`i(`: $p_0}', { id: 1, p_0: 1 })], ':A.i(: a name with'],
    ['a node delete', [deleted], ':Person: a node delete, which is no part of a whole graph'],
    ['a relationship delete', [unlinked], ':Person: a relationship delete, which is no part of a whole graph'],
    ['a relationship create', [created], ':Person: a relationship create, which is no part of a whole graph'],
    ['a postback', [stamp], ':Person: a postback, which is no part of a whole graph'],
    ['a lone surrogate', [person('a', { name: '\ud800' })], ':Person: a string that is not valid Unicode'],
    ['two upserts that differ', [person('a', { x: 1 }), person('a', { x: 2 })], ':Person a: pairs that disagree'],
    ['two that differ in types', [person('a', { x: 1 }), person('a', { x: '1' })], ':Person a: pairs that disagree'],
    ['relationships that differ', [knows('a', 'b', { x: 1 }), knows('a', 'b')], 'a -KNOWS-> b: pairs that disagree'],
    [
      'several ids',
      [knows('a', 'b'), knows('a', 'b', { g: 1 }, ' {`g`: $g}')],
      'find its relationships by different ids',
    ],
    ['an id of two types', [knows(5, 'b'), knows(6, 'b'), knows('5.0', 'c')], ':Person 5: pairs that'],
    ['a deleted property', [person('a', { name: 'A' }), removed], ':Person.name: a property that one pair sets and'],
    ['a cleanup', [cleanup('a', ['c']), knows('a', 'b')], ':Person: a cleanup that deletes relationships [:KNOWS]'],
  ])('%s is refused by name, and leaves nothing', async (_, pairs, problem) => {
    const ran = await converted([pairs])
    expect(ran).toMatchObject({ code: 4, stdout: '', left: [] })
    expect(ran.stderr).toContain('cannot become files for the importer; packets replay takes it\n')
    expect(ran.stderr).toContain(`  ${problem}`.trimStart())
  })

  test('all problems are named at once, each once', async () => {
    const { stderr } = await converted([[person('a', { t: [] }), person('b', { t: [] })], [person('c', { u: [''] })]])
    expect(stderr.split('\n').slice(1)).toEqual([
      '  :Person.t: an empty list, at part 1, pair 1 and 1 more',
      '  :Person.u: a list with nothing but an empty string, at part 2, pair 1',
      '',
    ])
  })

  test('a delta is refused', async () => {
    const { packet, out } = await converted([[person('a')]])
    const [old, delta] = [join(dirname(packet), 'old.json'), join(dirname(packet), 'delta')]
    writeFileSync(old, '{"statements":[]}')
    expect(await runCli(['diff', old, packet, '--out', delta])).toMatchObject({ code: 3 })
    expect(await runCli(['convert', delta, `${out}2`, '--to', 'import-csv'])).toEqual({
      code: 4,
      stdout: '',
      stderr: `error: ${delta} is a delta: it holds only what differs from another packet, and an import makes a whole database\n`,
    })
  })

  test('a broken packet leaves nothing', async () => {
    const ran = await converted([[person('a')], [{ statement: 1 }]])
    expect(ran).toMatchObject({ code: 5, stdout: '', left: [] })
  })

  test.each([
    ['--database', 'a;b'],
    ['--database', 'system'],
    ['--importer', '4'],
    ['--to', 'csv'],
  ])('%s %s is refused', async (option, value) => {
    const ran = await converted([[person('a')]], option, value)
    expect(ran).toMatchObject({ code: 2, left: [] })
    expect(ran.stderr).toContain(option)
  })
})

test('a cleanup that keeps every relationship of the packet is passed, and so is a deleted property that no pair sets', async () => {
  const both = pair(
    'MATCH (n:`Person` {`id`: $baseId})-[r:`KNOWS`]-(m) WHERE NOT (startNode(r) = n AND coalesce(m:`Person` AND m.`id` IN $ids_0, false) OR endNode(r) = n AND coalesce(m:`Person` AND m.`id` IN $ids_1, false)) DELETE r',
    { baseId: 'a', ids_0: ['b', 'gone', 'a'], ids_1: ['c'] },
  )
  const removed = pair('MATCH (n:`Person` {`id`: $id}) REMOVE n.`name`', { id: 'a' })
  // A self-loop is kept by the list of one direction.
  const pairs = [person('a'), cleanup('a', ['b', 'a']), both, cleanup('b', []), removed, knows('a', 'a')]
  expect(await converted([pairs, [knows('a', 'b'), knows('c', 'a')]])).toMatchObject({ code: 0, stderr: '' })
  const ran = await converted([pairs, [knows('a', 'b'), knows('a', 'c')]])
  expect(ran).toMatchObject({ code: 4, left: [] })
  expect(ran.stderr).toContain(
    ':Person: a cleanup that deletes relationships [:KNOWS] of the same packet, at part 1, pair 2',
  )
})
