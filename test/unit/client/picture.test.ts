import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mermaidOf } from '../../../client/picture/mermaid.ts'
import type { Picture } from '../../../client/picture/picture.ts'
import { svgOf } from '../../../client/picture/svg.ts'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { anyName } from '../replay/any-structure.ts'

/** The XML parser that the client of the object store brings. */
const { XMLParser, XMLValidator } = createRequire(import.meta.resolve('minio'))('fast-xml-parser') as {
  XMLParser: new (options: object) => { parse(text: string): Element[] }
  XMLValidator: { validate(text: string): true | object }
}
type Element = Record<string, Element[]> & { '#text'?: string }

/** The texts of all elements of a name, in their order. @throws unless the document is well formed */
function textsIn(svg: string, name: string): string[] {
  expect(XMLValidator.validate(svg)).toBe(true)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot have them
  expect(svg).not.toMatch(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/)
  const parser = new XMLParser({ preserveOrder: true, trimValues: false, parseTagValue: false })
  const walk = (elements: readonly Element[]): string[] =>
    elements.flatMap((element) =>
      Object.entries(element).flatMap(([key, children]) => {
        if (!Array.isArray(children)) return []
        return key === name ? [children.map((child) => child['#text'] ?? '').join('')] : walk(children)
      }),
    )
  return walk(parser.parse(svg))
}

const hostile = fc.oneof(
  anyName,
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.constantFrom('"]; click n1 call x()', '</text><script>alert(1)</script>', '&lt;', ']]>', '%%{init: {}}%%', 'end'),
)

const anyPicture: fc.Arbitrary<Picture> = fc
  .record({
    title: hostile,
    labels: fc.uniqueArray(hostile, { minLength: 1, maxLength: 6 }),
    line: hostile,
    arrows: fc.array(fc.record({ from: fc.nat(5), to: fc.nat(5), text: hostile }), { maxLength: 8 }),
  })
  .map(({ title, labels, line, arrows }) => ({
    title,
    bubbles: labels.map((label, index) => ({
      label,
      lines: [line],
      marked: index % 2 === 0 ? [] : [line],
    })),
    arrows: arrows.map(({ from, to, text }) => ({
      from: labels[from % labels.length] as string,
      to: labels[to % labels.length] as string,
      text,
    })),
  }))

test('a name that is read from right to left keeps its direction, so that counts stay where they are', () => {
  const label = 'עיר'
  const bubbles = [{ label, lines: ['upserts: 1'], marked: ['cleanup of רכבת_אל × 1'] }]
  const svg = svgOf({ title: 'p', bubbles, arrows: [{ from: label, to: label, text: 'שתי מילים × 7' }] })
  for (const text of ['>\u2068עיר\u2069<', 'cleanup of \u2068רכבת_אל\u2069 × 1', '>\u2068שתי מילים\u2069 × 7<']) {
    expect(svg).toContain(text)
  }
  expect(svg).not.toContain('\u2068upserts')
})

test('whatever the names are, the SVG is a document that shows them as text, and nothing else', () => {
  const elements = /^(\?xml|\/?(svg|title|desc|defs|marker|path|rect|g|text))$/
  const property = fc.property(anyPicture, (picture) => {
    const svg = svgOf(picture)
    const { bubbles, arrows } = picture
    const shown = 1 + arrows.length + bubbles.reduce((sum, it) => sum + 1 + it.lines.length + it.marked.length, 0)
    expect(textsIn(svg, 'text')).toHaveLength(shown)
    const names = [...svg.matchAll(/<([^\s>/]*\/?[^\s>/]*)/g)].map(([, name]) => name as string)
    expect(names.filter((name) => !elements.test(name))).toEqual([])
    // A name may be any of these words, so only the elements without their texts count.
    expect(svg.replace(/>[^<]*</g, '><')).not.toMatch(/NaN|undefined|Infinity/)
  })
  fc.assert(property)
})

test('whatever the names are, Mermaid reads nothing in them as syntax', () => {
  const text = String.raw`(?:[\p{L}\p{M}\p{N} ]|#\d+;)*`
  const line = new RegExp(
    String.raw`^(?:flowchart LR|  accTitle: ${text}|  n\d+\("${text}(?:<br>${text})*"\)|  n\d+ -- "${text}" --> n\d+|  classDef marked stroke:#b3261e,stroke-dasharray:5 3|  class n\d+(?:,n\d+)* marked|)$`,
    'u',
  )
  fc.assert(
    fc.property(anyPicture, (picture) => {
      const lines = mermaidOf(picture).split('\n')
      expect(lines.filter((one) => !line.test(one))).toEqual([])
      const isMarked = picture.bubbles.length > 1
      expect(lines).toHaveLength(3 + picture.bubbles.length + picture.arrows.length + (isMarked ? 2 : 0))
    }),
  )
})

const node = (label: string, id: string) => ({
  statement: `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`,
  parameters: { id },
})
const relationship = (from: string, type: string, to: string) => ({
  statement: `MERGE (a:\`${from}\` {\`id\`: $a_id}) MERGE (b:\`${to}\` {\`id\`: $b_id}) MERGE (a)-[r:\`${type}\`]->(b) SET r = {}`,
  parameters: { a_id: 'a', b_id: 'b' },
})
const pairs = [
  ...[node('Person', 'a'), node('Person', 'b'), node('A "b" <c>', 'c')],
  ...[relationship('Person', 'KNOWS', 'Person'), relationship('Person', 'LIKES', 'A "b" <c>')],
  relationship('Person', 'LIKES', 'A "b" <c>'),
  { statement: 'MATCH (n:`Person` {`id`: $baseId})-[r:`KNOWS`]-() DELETE r', parameters: { baseId: 'a' } },
  { statement: 'MATCH (n:`Gone`) WHERE n.`key` IN $ids DETACH DELETE n', parameters: { ids: ['x', 'y'] } },
  { statement: 'MATCH (n:`Person` {`id`: $id}) REMOVE n.`nick`', parameters: { id: 'a' } },
  {
    statement:
      'UNWIND $ends AS x MATCH (a:`Person` {`id`: x[0]}) MATCH (b:`A "b" <c>` {`id`: x[1]}) OPTIONAL MATCH (a)-[r:`LIKES`]->(b) DELETE r',
    parameters: {
      ends: [
        ['a', 'c'],
        ['b', 'c'],
      ],
    },
  },
  { statement: 'RETURN 1', parameters: {} },
]

describe('inspect --picture', () => {
  function packet() {
    const directory = emptyDirectory()
    const file = join(directory, 'people.json')
    writeFileSync(file, JSON.stringify({ statements: pairs }))
    return { file, drawn: (name: string) => join(directory, name), directory }
  }

  test('inspect --picture draws labels, types with their counts, and deletions, as SVG', async () => {
    const { file, drawn } = packet()
    expect(await runCli(['inspect', file, '--picture', drawn('a.svg')])).toMatchObject({ code: 0, stderr: '' })
    const svg = readFileSync(drawn('a.svg'), 'utf8')
    const [title, ...texts] = textsIn(svg, 'text')
    expect(title).toBe(`${file}; not drawn: 1 other pair`)
    expect(texts).toEqual([
      ...['LIKES × 2', 'KNOWS × 1'],
      ...['Person', 'id: id', 'upserts: 2', 'cleanup of KNOWS × 1', 'delete of properties × 1'],
      'delete of LIKES × 2',
      ...['A "b" <c>', 'id: id', 'upserts: 1', 'Gone', 'id: key', 'delete of nodes × 2'],
    ])
    expect(textsIn(svg, 'title')).toEqual([expect.stringContaining('people.json')])
    expect(textsIn(svg, 'desc')).toEqual([expect.stringContaining('Person LIKES × 2 A')])
  })

  test('inspect --picture draws the same as Mermaid', async () => {
    const { file, drawn } = packet()
    expect(await runCli(['inspect', file, '--picture', drawn('a.mmd')])).toMatchObject({ code: 0 })
    const [first, , ...rest] = readFileSync(drawn('a.mmd'), 'utf8').split('\n')
    expect([first, ...rest].join('\n')).toMatchInlineSnapshot(`
      "flowchart LR
        n1("Person<br>id#58; id<br>upserts#58; 2<br>cleanup of KNOWS #215; 1<br>delete of properties #215; 1<br>delete of LIKES #215; 2")
        n2("A #34;b#34; #60;c#62;<br>id#58; id<br>upserts#58; 1")
        n3("Gone<br>id#58; key<br>delete of nodes #215; 2")
        n1 -- "KNOWS #215; 1" --> n1
        n1 -- "LIKES #215; 2" --> n2
        classDef marked stroke:#b3261e,stroke-dasharray:5 3
        class n1,n3 marked
      "
    `)
  })

  test('inspect --picture is refused for a file of another kind, and for one that cannot be written', async () => {
    const { file, drawn } = packet()
    const png = await runCli(['inspect', file, '--picture', drawn('a.png')])
    expect(png).toMatchObject({ code: 2, stderr: expect.stringContaining('must end in .svg or .mmd.') })
    const away = await runCli(['inspect', file, '--picture', drawn('none/a.svg')])
    expect(away).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written (ENOENT)') })
  })
})
