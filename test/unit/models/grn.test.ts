import { describe, expect, test } from 'vitest'
import { type GrnType, grnOf, grnTypeOf, grnTypes, newGrn } from '../../../shared/models/grn.ts'

test.each(grnTypes)('a new grn of a %s ends in 44 base62 characters and is unique', (type) => {
  const grns = Array.from({ length: 200 }, () => newGrn(type))
  for (const grn of grns) expect(grn).toMatch(new RegExp(`^grn:gg:${type}:[0-9A-Za-z]{44}$`))
  expect(new Set(grns).size).toBe(200)
})

test('all characters are equally likely', () => {
  const counts = new Map<string, number>()
  const grns = 4_000
  for (let made = 0; made < grns; made++) {
    for (const character of newGrn('manager').slice(-44)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const expected = (grns * 44) / 62
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  expect(counts.size).toBe(62)
  // 61 degrees of freedom: a uniform source exceeds 150 once in 10^9 runs; the bias of `byte % 62` gives about 2,000.
  expect(chiSquared).toBeLessThan(150)
})

describe('a grn is', () => {
  const issues = (text: string, ...types: GrnType[]) =>
    grnOf(...types)
      .safeParse(text)
      .error?.issues.map(({ message }) => message)

  test('a grn is well-formed with any namespace and id, and has a type', () => {
    expect(grnTypeOf('grn:gg:propertyimpl:abc')).toBe('propertyimpl')
    expect(grnTypeOf('grn:other-ns:org:A_b-9')).toBe('org')
    expect(grnOf('org').safeParse('grn:gg:org:x').success).toBe(true)
  })

  test.each([
    '',
    'grn',
    'grn:gg:manager',
    'grn:gg:manager:',
    'grn:gg:manager:a:b',
    'grn:gg:Manager:a',
    'x grn:gg:manager:a',
    'grn:gg:manager:a\n',
  ])('a grn is malformed as %j', (text) => {
    expect(grnTypeOf(text)).toBeNull()
    expect(issues(text, 'manager')).toEqual(['must be a grn of type manager, of the form grn:<ns>:<type>:<id>'])
  })

  test('a grn is rejected for its type, with the accepted types', () => {
    expect(issues('grn:gg:manager:a', 'property', 'propertyimpl')).toEqual([
      'must be a grn of type property or propertyimpl, not manager',
    ])
  })
})
