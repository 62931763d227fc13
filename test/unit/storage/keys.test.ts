import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fileName, orgName } from '../../../packet/names.ts'
import {
  generationKey,
  generationsBelow,
  generationsOf,
  isHidden,
  markerKey,
  orgKey,
  packetName,
  parseGenerationKey,
  parseMarkerKey,
  parsePartKey,
  partKey,
  pastGenerations,
  requestKey,
} from '../../../shared/storage/keys.ts'
import { probeKey } from '../../../shared/store/object-store.ts'

const segment = fc.string({ unit: fc.constantFrom('a', 'b', '0', '.', '-', '_'), minLength: 1, maxLength: 4 })
const path = (part: fc.Arbitrary<string>) =>
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
const orgs = path(segment).filter((name) => orgName.safeParse(name).success)
const odd = fc.string({ unit: fc.constantFrom('a', '.', ' ', '0', 'é', '😀', 'P', 'Part1', 'of2', '\u2028') })
const files = path(odd).filter((name) => fileName.safeParse(name).success)
const names = fc.tuple(orgs, files).map(([org, file]) => packetName(org, file))
const generations = fc.integer({ min: 1, max: 9_999_999_999 })

describe('the keys of a packet', () => {
  test('the keys of a packet have these formats', () => {
    const name = packetName('acme', 'europe/people')
    expect([
      name,
      generationKey(name, 12),
      partKey(name, 'job-1', 'run-1', 0, 3),
      requestKey('acme/europe', 'job-1'),
      orgKey('acme/europe'),
      probeKey('p1'),
    ]).toMatchInlineSnapshot(`
      [
        "acme/europe/people",
        "acme/.generations/europe/people/.-9999999987",
        "acme/.parts/europe/people/.job-1/run-1/00000-00003",
        "acme/.jobs/job-1/request",
        "acme/europe/.org",
        ".probe/p1",
      ]
    `)
  })

  test('the keys of a packet depend only on the full name, not on its division into org and file', () => {
    const [one, other] = [packetName('a', 'b/f'), packetName('a/b', 'f')]
    expect(generationKey(one, 1)).toBe(generationKey(other, 1))
    expect(partKey(one, 'j', 'r1', 0, 1)).toBe(partKey(other, 'j', 'r1', 0, 1))
  })

  test('the keys of a packet are hidden, except the name itself', () => {
    fc.assert(
      fc.property(names, generations, (name, generation) => {
        expect(isHidden(name)).toBe(false)
        for (const key of [generationKey(name, generation), partKey(name, 'j', 'r1', 0, 1)]) {
          expect(isHidden(key)).toBe(true)
        }
      }),
    )
    expect([requestKey('acme', 'j'), orgKey('acme'), probeKey('p')].map(isHidden)).toEqual([true, true, true])
  })

  test('the keys of a packet differ by job, run, slice and part', () => {
    const keys = [
      partKey('a/f', 'j1', 'r1', 0, 1),
      partKey('a/f', 'j2', 'r1', 0, 1),
      partKey('a/f', 'j1', 'r2', 0, 1),
      partKey('a/f', 'j1', 'r1', 1, 1),
      partKey('a/f', 'j1', 'r1', 0, 2),
      partKey('a/f/j1', 'j1', 'r1', 0, 1),
    ]
    expect(new Set(keys).size).toBe(keys.length)
  })
})

test('a part key names its packet, job and run', () => {
  const parsed = { name: 'a/b/f', jobId: 'j1' }
  expect(parsePartKey(partKey('a/b/f', 'j1', 'r-1', 2, 3))).toEqual({ ...parsed, run: 'r-1' })
  for (const key of ['a/b/f', 'a/.parts/b/f/j1/1/00000-00001', 'a/.parts/b/f/.j1/00000-00001', 'a/.generations/f/.1']) {
    expect(parsePartKey(key)).toBeNull()
  }
})

describe('a generation', () => {
  test('a generation round-trips through its key', () => {
    fc.assert(
      fc.property(names, generations, (name, generation) => {
        const parsed = { name, generation }
        expect(parseGenerationKey(generationKey(name, generation))).toEqual(parsed)
      }),
    )
  })

  test('a generation sorts before older generations', () => {
    fc.assert(
      fc.property(generations, generations, (a, b) => {
        expect(generationKey('a/f', a) < generationKey('a/f', b)).toBe(a > b)
      }),
    )
  })

  test('a generation sorts before the key that a listing skips to, and later names sort after that', () => {
    fc.assert(
      fc.property(names, names, generations, (name, other, generation) => {
        const end = pastGenerations(generationKey(name, generation)) as string
        expect(generationKey(name, generation) < end).toBe(true)
        const isBehind = (key: string) => key > end
        const first = generationKey(other, 9_999_999_999)
        if (other !== name) expect(isBehind(first)).toBe(first > generationKey(name, generation))
      }),
    )
    expect(pastGenerations('a/f')).toBeNull()
  })

  test('a generation is directly followed by its marker, which does not parse as a generation', () => {
    fc.assert(
      fc.property(names, generations, fc.nat(), (name, generation, parts) => {
        const key = generationKey(name, generation)
        const marker = markerKey(key, parts)
        expect([parseGenerationKey(marker), parsePartKey(marker), isHidden(marker)]).toEqual([null, null, true])
        expect([parseMarkerKey(marker), parseMarkerKey(key)]).toEqual([{ manifestKey: key, parts }, null])
        const below = generationKey(name, generation - 1)
        expect(key < marker && marker < below && marker < (pastGenerations(marker) as string)).toBe(true)
      }),
    )
  })

  test.each([
    'a/f',
    'a/.generations/f',
    'a/.generations/f/.1',
    'a/.generations/f/.00000000001',
    'a/.generations/f/.--000000001',
    'a/.generations/f/-0000000001',
    'a/.generations/f/0000000001',
    'a/.generations/.0000000001',
    'a/.parts/f/.0000000001',
    'a/b/.generations/f/.0000000001',
    '/.generations/f/.0000000001',
  ])('a generation is not parsed from %s', (key) => {
    expect(parseGenerationKey(key)).toBeNull()
  })
})

describe('names with a common prefix', () => {
  const longer = fc
    .tuple(names, fc.constantFrom('', '/', 'Part1', '.'), fc.constantFrom('a', '0', 'Part1of2', '0000000001'))
    .map(([name, joint, more]) => ({ name, longer: `${name}${joint}${more}` }))

  test('names with a common prefix never share generations', () => {
    fc.assert(
      fc.property(longer, generations, ({ name, longer: other }, generation) => {
        expect(generationKey(other, generation).startsWith(generationsOf(name))).toBe(false)
        expect(generationKey(name, generation).startsWith(generationsOf(other))).toBe(false)
      }),
    )
  })

  test('names with a common prefix are listed together under the shorter one', () => {
    fc.assert(
      fc.property(longer, generations, ({ name, longer: other }, generation) => {
        expect(generationKey(name, generation).startsWith(generationsBelow(name))).toBe(true)
        expect(generationKey(other, generation).startsWith(generationsBelow(name))).toBe(true)
      }),
    )
  })

  test('names with a common prefix are listed only under orgs that are a path prefix of the name', () => {
    fc.assert(
      fc.property(orgs, orgs, files, (org, other, file) => {
        const isBelow = generationKey(packetName(org, file), 1).startsWith(generationsBelow(`${other}/`))
        expect(isBelow).toBe(`${org}/${file}`.startsWith(`${other}/`))
      }),
    )
  })
})

test.each([
  ['a', false],
  ['a.b/c.d', false],
  ['a/b.', false],
  ['.a', true],
  ['a/.b', true],
  ['a/.b/c', true],
])('%s is hidden: %s', (key, expected) => {
  expect(isHidden(key)).toBe(expected)
})
