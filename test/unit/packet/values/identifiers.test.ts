import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byCodePoint, isQuotable, quote } from '../../../../packet/cypher/identifiers.ts'

describe('a quoted identifier', () => {
  test.each([
    ['Person', '`Person`'],
    ['has space', '`has space`'],
    ['a`b', '`a``b`'],
    ['`', '````'],
    ['``', '``````'],
    ['naïve😀', '`naïve😀`'],
  ])('a quoted identifier for %s is %s', (name, quoted) => {
    expect(quote(name)).toBe(quoted)
  })

  test('a quoted identifier cannot be ended early by any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '`', ' ', '{', '}', '$') }), (name) => {
        const [, inside] = /^`((?:[^`]|``)*)`$/.exec(quote(name)) ?? []
        expect(inside?.replaceAll('``', '`')).toBe(name)
      }),
    )
  })
})

describe('a name that can be used in a statement', () => {
  test.each(['Person', '`', ' ', '{id}', '$id', 'naïve😀', '\u00a0', '\ufffe', '__proto__'])(
    'a name that can be used in a statement may be %j',
    (name) => {
      expect(isQuotable(name)).toBe(true)
    },
  )

  test.each([
    ['empty', ''],
    ['a backslash', 'a\\b'],
    ['an escaped backtick', '\\u0060'],
    ['a null character', 'a\u0000'],
    ['a line break', 'a\nb'],
    ['the delete character', 'a\u007f'],
    ['a control character above ASCII', '\u0085'],
    ['the last control character', '\u009f'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00a'],
  ])('a name is refused in a statement: %s', (_what, name) => {
    expect(isQuotable(name)).toBe(false)
  })
})

describe('the order of names', () => {
  test('the order of names is by code point, not by UTF-16 code unit', () => {
    expect(['😀', 'b', '\uffff', 'a', 'ab', '', 'B', '\ue000'].sort(byCodePoint)).toEqual([
      '',
      'B',
      'a',
      'ab',
      'b',
      '\ue000',
      '\uffff',
      '😀',
    ])
  })

  test('the order of names is by code point for any two names', () => {
    const name = fc.string({ unit: fc.oneof(fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '𐀀', '😀')) })
    fc.assert(
      fc.property(fc.oneof(name, fc.string({ unit: 'binary' })), name, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(Buffer.compare(utf32(a), utf32(b))))
        expect(Math.sign(byCodePoint(b, a))).toBe(Math.sign(Buffer.compare(utf32(b), utf32(a))))
      }),
    )
  })
})

/** UTF-32BE, whose byte order is the order of code points. */
function utf32(text: string): Buffer {
  const points = [...text].map((character) => character.codePointAt(0) as number)
  return Buffer.concat(
    points.map((point) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(point)
      return bytes
    }),
  )
}
