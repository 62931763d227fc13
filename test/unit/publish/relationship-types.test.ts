import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isQuotable, quote } from '../../../packet/cypher/identifiers.ts'
import { mergeRelationshipTypes, parseRelationshipType } from '../../../shared/request/relationship-types.ts'

describe('a relationship type', () => {
  test.each([
    ['KNOWS', 'KNOWS', 'both'],
    ['KNOWS>', 'KNOWS', 'out'],
    ['<KNOWS', 'KNOWS', 'in'],
    ['`KNOWS`', 'KNOWS', 'both'],
    ['`KNOWS`>', 'KNOWS', 'out'],
    ['<`KNOWS`', 'KNOWS', 'in'],
    ['`KNOWS>`', 'KNOWS>', 'both'],
    ['`<KNOWS`>', '<KNOWS', 'out'],
    ['<`<KNOWS>`', '<KNOWS>', 'in'],
    ['`odd``type`', 'odd`type', 'both'],
    ['odd`type', 'odd`type', 'both'],
    ['has space>', 'has space', 'out'],
    ['constructor', 'constructor', 'both'],
    ['`😀`>', '😀', 'out'],
  ])('the relationship type %s is parsed as %s, direction %s', (text, type, direction) => {
    expect(parseRelationshipType(text)).toEqual({ type, direction })
  })

  test.each(['', '<', '>', '<>', '<KNOWS>', '<`KNOWS`>', 'KNO\\WS', '`KNO\\WS`', 'KNO\nWS', '\ud800'])(
    'the relationship type %j is invalid',
    (text) => {
      expect(parseRelationshipType(text)).toBeNull()
    },
  )

  test('any name of a relationship type in backticks is taken literally', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '`', '<', '>', ' ', 'é') }).filter(isQuotable), (type) => {
        expect(parseRelationshipType(quote(type))).toEqual({ type, direction: 'both' })
        expect(parseRelationshipType(`${quote(type)}>`)).toEqual({ type, direction: 'out' })
        expect(parseRelationshipType(`<${quote(type)}`)).toEqual({ type, direction: 'in' })
      }),
    )
  })
})

describe('merged relationship types', () => {
  const merged = (...texts: string[]) =>
    mergeRelationshipTypes(texts.map((text) => parseRelationshipType(text) ?? expect.unreachable()))

  test.each([
    [['A', 'A'], 'both'],
    [['A>', 'A>'], 'out'],
    [['<A', '<A'], 'in'],
    [['A>', '<A'], 'both'],
    [['<A', 'A'], 'both'],
    [['A', 'A>'], 'both'],
    [['A>', '<A', 'A>'], 'both'],
  ])('the relationship types %j are merged into one, direction %s', (texts, direction) => {
    expect(merged(...texts)).toEqual([{ type: 'A', direction }])
  })

  test('merged relationship types are in order of first appearance', () => {
    expect(merged('B>', 'A', '10', '2', '<B', '`A>`')).toEqual([
      { type: 'B', direction: 'both' },
      { type: 'A', direction: 'both' },
      { type: '10', direction: 'both' },
      { type: '2', direction: 'both' },
      { type: 'A>', direction: 'both' },
    ])
  })
})
