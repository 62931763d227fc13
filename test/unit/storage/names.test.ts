import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { fileName, orgName, packetNameProblem, parsePartName, partNames, storedName } from '../../../packet/names.ts'

/** The message of the rule that a name breaks; null for a valid name. */
const problem = (schema: z.ZodType, name: string) => schema.safeParse(name).error?.issues[0]?.message ?? null

describe('an org name', () => {
  test.each(['a', 'acme', 'Acme-2_b.c', '0', 'a/b/c/d/e/f/g/h', 'a'.repeat(63), 'acme/status', 'Status', 'multiple'])(
    'an org name may be %s',
    (name) => {
      expect(problem(orgName, name)).toBeNull()
    },
  )

  const segments =
    'must be 1 to 8 segments joined by /, each a letter or digit followed by up to 62 of A-Z a-z 0-9 . _ -'
  const slash = 'must not start or end with a slash'

  test.each([
    ['', segments],
    ['a//b', segments],
    ['.acme', segments],
    ['acme/.parts', segments],
    ['..', segments],
    ['-a', segments],
    ['a b', segments],
    ['a\n', segments],
    ['é', segments],
    ['a%2Fb', segments],
    ['a\\b', segments],
    ['a'.repeat(64), segments],
    ['a/b/c/d/e/f/g/h/i', segments],
    ['/acme', slash],
    ['acme/', slash],
    ['/', slash],
    ['status', 'must not start with the reserved name status'],
    ['multi/a', 'must not start with the reserved name multi'],
  ])('an org name may not be %j', (name, message) => {
    expect(problem(orgName, name)).toBe(message)
  })
})

describe('a file name', () => {
  test.each([
    'people',
    'a b',
    'people.json',
    'a/b/c',
    'é😀',
    'a'.repeat(200),
    'é'.repeat(100),
    'Part',
    'Part1',
    'Part1of2',
    'aPart01of2',
    'aPart1of0',
    'apart1of2',
    'aPart1of2.json',
    'a"<>|?*:;$&b',
  ])('a file name may be %j', (name) => {
    expect(problem(fileName, name)).toBeNull()
  })

  const dot = 'must not have a segment that starts with a dot'
  const size = 'must have segments of 1 to 200 bytes'
  const forbidden = 'must not contain control characters, backslashes or %'
  const unicode = 'must be valid Unicode in normalization form C'
  const slash = 'must not start or end with a slash'

  test.each([
    ['', size],
    ['a//b', size],
    ['a'.repeat(201), size],
    ['é'.repeat(101), size],
    ['.', dot],
    ['..', dot],
    ['.org', dot],
    ['a/../b', dot],
    ['a/.parts/b', dot],
    ['/a', slash],
    ['a/', slash],
    ['a\\b', forbidden],
    ['100%', forbidden],
    ['a\u0000', forbidden],
    ['a\n', forbidden],
    ['\u007f', forbidden],
    ['\u0085', forbidden],
    ['e\u0301', unicode],
    ['\ud800', unicode],
  ])('a file name may not be %j', (name, message) => {
    expect(problem(fileName, name)).toBe(message)
    expect(problem(storedName, name)).toBe(message)
  })

  test('a file name may be requested up to the maximum key length', () => {
    const name = `${'a/'.repeat(511)}ab`
    expect([problem(storedName, name), problem(storedName, `${name}c`)]).toEqual([null, 'must be at most 1024 bytes'])
  })

  test.each(['aPart1of2', 'a/bPart10of10', 'aPart3of2', 'aPart1of2Part1of1'])(
    'a file name may not be the part name %s, except to request a stored file',
    (name) => {
      expect(problem(fileName, name)).toBe('must not be the name of a part (Part#of#)')
      expect(problem(storedName, name)).toBeNull()
    },
  )

  test('a file name has at most 900 bytes together with its org', () => {
    expect(packetNameProblem('acme', 'é'.repeat(447))).toBeNull()
    expect(packetNameProblem('acme', `${'é'.repeat(447)}ab`)).toBe('must be at most 900 bytes together with orgName')
  })
})

describe('part names', () => {
  test('part names are the given name for one part, and numbered for several', () => {
    expect(partNames('people', 1)).toEqual(['people'])
    expect(partNames('a/b', 3)).toEqual(['a/bPart1of3', 'a/bPart2of3', 'a/bPart3of3'])
  })

  test.each([
    ['peoplePart2of10', { base: 'people', part: 2, of: 10 }],
    ['a/bPart1of1', { base: 'a/b', part: 1, of: 1 }],
    ['aPart1of2Part3of4', { base: 'aPart1of2', part: 3, of: 4 }],
    ['a\nPart1of2', { base: 'a\n', part: 1, of: 2 }],
  ])('%j is a part name', (name, parsed) => {
    expect(parsePartName(name)).toEqual(parsed)
  })

  test.each(['people', 'Part1of2', 'aPart0of2', 'aPart1of02', 'aPart1of2 ', 'aPart1of', 'aPartof2', 'apart1of2'])(
    '%j is not a part name',
    (name) => {
      expect(parsePartName(name)).toBeNull()
    },
  )

  test('part names identify their packet and part number', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('P', 'Part1of2', 'a', '/', '1'), minLength: 1 }),
        fc.integer({ min: 2, max: 40 }),
        (name, of) => {
          const parts = partNames(name, of)
          expect(new Set(parts).size).toBe(of)
          expect(parts.map(parsePartName)).toEqual(parts.map((_, index) => ({ base: name, part: index + 1, of })))
        },
      ),
    )
  })
})
