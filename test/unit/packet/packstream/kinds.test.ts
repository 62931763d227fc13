import { describe, expect, test } from 'vitest'
import {
  elementKind,
  emptyList,
  isList,
  isPublishable,
  type Kind,
  kind,
  list,
} from '../../../../packet/packstream/kinds.ts'
import { passValue } from '../../../../packet/packstream/pass-value.ts'
import { float, head, integer64, listOf, open, structure, text } from './bytes.ts'

type Name = keyof typeof kind

/** The kind of a value, which is passed exactly to its end. */
function kindOf(bytes: Buffer): Kind {
  const cursor = open(bytes)
  const of = passValue(cursor)
  expect(cursor.at).toBe(cursor.end)
  return of
}

const int = (value: number | bigint) => integer64(BigInt(value))
const tiny = Buffer.of(5)
const nanoseconds = int(1)
const most = 2n ** 63n / 1_000n

const date = structure(0x44, tiny)
const time = (offset: number) => structure(0x54, nanoseconds, int(offset))
const atOffset = (seconds: bigint | number, offset: number) => structure(0x49, int(seconds), nanoseconds, int(offset))
const atLocal = (seconds: bigint | number, offset: number) => structure(0x46, int(seconds), nanoseconds, int(offset))
const zoned = (seconds: bigint | number, zone: string) => structure(0x69, int(seconds), nanoseconds, text(zone))
const zonedAtLocal = structure(0x66, int(0), nanoseconds, text('Europe/Rome'))
const completed = (local: bigint, offset: number) =>
  structure(0x6a, int(local), nanoseconds, text('Europe/Rome'), int(offset))
const point = (...axes: number[]) => structure(axes.length === 2 ? 0x58 : 0x59, int(7203), ...axes.map(float))
const bytes = Buffer.from([0xcc, 1, 7])
const vector = (elements: number, ...of: number[]) =>
  structure(0x56, Buffer.from([0xcc, 1, elements]), Buffer.from([0xcc, of.length, ...of]))
const float32 = (value: number) => {
  const element = Buffer.alloc(4)
  element.writeFloatBE(value)
  return vector(198, ...element)
}

const one: [what: string, value: Buffer, name: Name][] = [
  ['null', Buffer.of(0xc0), 'absent'],
  ['an empty text', Buffer.of(0x80), 'string'],
  ['a text of 8 bits', head(0xd0, 1, 0), 'string'],
  ['a text of 32 bits', text('x'), 'string'],
  ['true', Buffer.of(0xc3), 'boolean'],
  ['false', Buffer.of(0xc2), 'boolean'],
  ['a tiny integer', Buffer.of(0xf0), 'safeInteger'],
  ['an integer of 8 bits', Buffer.from([0xc8, 0x80]), 'safeInteger'],
  ['an integer of 16 bits', Buffer.from([0xc9, 0x80, 0]), 'safeInteger'],
  ['an integer of 32 bits', Buffer.from([0xca, 0x80, 0, 0, 0]), 'safeInteger'],
  ['2^53 - 1', int(2n ** 53n - 1n), 'safeInteger'],
  ['2^53', int(2n ** 53n), 'largeInteger'],
  ['1 - 2^53', int(1n - 2n ** 53n), 'safeInteger'],
  ['-2^53', int(-(2n ** 53n)), 'largeInteger'],
  ['a float', float(0.5), 'float'],
  ['the largest float', float(Number.MAX_VALUE), 'float'],
  ['infinity', float(Number.POSITIVE_INFINITY), 'oddFloat'],
  ['minus infinity', float(Number.NEGATIVE_INFINITY), 'oddFloat'],
  ['NaN', float(Number.NaN), 'oddFloat'],
  ['a date', date, 'date'],
  ['a local time', structure(0x74, nanoseconds), 'localTime'],
  ['a local datetime', structure(0x64, int(1), nanoseconds), 'localDateTime'],
  ['a time at an offset of minutes', time(-3_540), 'time'],
  ['a time at an offset with seconds', time(3_601), 'timeByFields'],
  ['a datetime at an offset of minutes', atOffset(0, 3_660), 'dateTime'],
  ['a datetime at an offset with seconds', atOffset(0, 3_661), 'dateTimeByFields'],
  ['a local datetime at an offset of minutes', atLocal(0, -60), 'dateTime'],
  ['a local datetime at an offset with seconds', atLocal(0, -61), 'dateTimeByFields'],
  ['an instant as far as can be', atOffset(most, 1), 'dateTimeByFields'],
  ['an instant too far', atOffset(most + 1n, 1), 'farDateTime'],
  ['an instant as far before as can be', atOffset(-most, 1), 'dateTimeByFields'],
  ['an instant too far before', atOffset(-most - 1n, 1), 'farDateTime'],
  ['a local datetime whose instant is as far as can be', atLocal(most + 1n, 1), 'dateTimeByFields'],
  ['a local datetime whose instant is too far', atLocal(most, -1), 'farDateTime'],
  ['a datetime in a zone', zoned(0, 'Europe/Berlin'), 'dateTimeByFields'],
  ['a datetime in an unknown zone', zoned(0, 'Europe/Atlantis'), 'other'],
  ['a datetime in a zone with a very long name', zoned(0, 'Europe/Berlin'.padEnd(200, 'x')), 'other'],
  ['a datetime in a zone, as late as the driver can read', zoned(8_639_999_999_999, 'UTC'), 'dateTimeByFields'],
  ['a datetime in a zone, too late for the driver', zoned(8_640_000_000_001, 'UTC'), 'other'],
  ['a datetime in a zone, too early for the driver', zoned(-8_640_000_000_001, 'UTC'), 'other'],
  ['a datetime in a zone without its offset', zonedAtLocal, 'zonedAtLocal'],
  ['a datetime in a zone whose offset was completed', completed(0n, 3_600), 'dateTimeByFields'],
  ['such a datetime whose instant is too far', completed(most, -1), 'farDateTime'],
  ['a duration', structure(0x45, tiny, tiny, int(2n ** 60n), tiny), 'duration'],
  ['a point', point(1, -2.5), 'point'],
  ['a point in space', point(1, 2, 3), 'pointInSpace'],
  ['a point with an infinite coordinate', point(1, Number.POSITIVE_INFINITY), 'oddPoint'],
  ['a point whose first coordinate is no number', point(Number.NaN, 1), 'oddPoint'],
  ['a point in space with an infinite coordinate', point(1, 2, Number.NEGATIVE_INFINITY), 'oddPoint'],
  ['a UUID', Buffer.alloc(17, 0xe0), 'uuid'],
  ['a vector of INTEGER8', vector(200, 1, 0x80), 'vectorOfInteger8'],
  ['a vector of INTEGER16', vector(201, 1, 2), 'vectorOfInteger16'],
  ['a vector of INTEGER32', vector(202, 1, 2, 3, 4), 'vectorOfInteger32'],
  ['a vector of INTEGER', vector(203, 1, 2, 3, 4, 5, 6, 7, 8), 'vectorOfInteger64'],
  ['a vector of FLOAT32', float32(0.5), 'vectorOfFloat32'],
  ['a vector of FLOAT', vector(193, ...float(0.5).subarray(1)), 'vectorOfFloat64'],
  ['a vector with an infinite element', float32(Number.POSITIVE_INFINITY), 'other'],
  ['a vector of an unknown type', vector(1, 1), 'other'],
  ['bytes', bytes, 'other'],
  ['a map', Buffer.from([0xa1, 0x81, 0x61, 1]), 'other'],
  ['a structure that is none of a property', structure(0x4e, tiny, Buffer.of(0x90)), 'other'],
]

test.each(one)('the kind of %s is recognised, alone and in a list', (_, value, name) => {
  expect(kindOf(value)).toBe(kind[name])
  expect(isList(kindOf(value))).toBe(false)
  // A list of equal values has their kind, and no database stores null or a vector in one.
  const inList = list + (name === 'absent' || name.startsWith('vector') ? kind.other : kind[name])
  expect(kindOf(listOf(value))).toBe(inList)
  expect(kindOf(listOf(value, value, value))).toBe(inList)
})

test('a value that can be published is so in a list, and any other is not', () => {
  const cannot: Name[] = ['oddPoint', 'farDateTime', 'zonedAtLocal', 'other']
  for (const [name, of] of Object.entries(kind)) {
    expect([isPublishable(of), isPublishable(list + of)]).toEqual(Array(2).fill(!cannot.includes(name as Name)))
    expect([elementKind(of), elementKind(list + of)]).toEqual([of, of])
  }
})

describe('a list', () => {
  const value = (name: Name) => (one.find(([, , of]) => of === name) as (typeof one)[number])[1]
  const bothWays = (...values: Buffer[]) => {
    const of = kindOf(listOf(...values))
    expect(kindOf(listOf(...values.toReversed()))).toBe(of)
    return of
  }

  test('a list without values has a kind of its own', () => {
    for (const empty of [Buffer.of(0x90), head(0xd4, 1, 0), listOf()]) expect(kindOf(empty)).toBe(emptyList)
  })

  test.each<[Name, Name]>([
    ['safeInteger', 'largeInteger'],
    ['float', 'oddFloat'],
    ['time', 'timeByFields'],
    ['dateTime', 'dateTimeByFields'],
  ])('a list of %s with one %s has the kind of that one', (usual, odd) => {
    expect(bothWays(value(usual), value(odd))).toBe(list + kind[odd])
    expect(bothWays(value(usual), value(usual), value(odd), value(usual))).toBe(list + kind[odd])
    expect(bothWays(value(odd), value(usual), value(odd), value(odd))).toBe(list + kind[odd])
  })

  test('a list of values of two types cannot be published', () => {
    const names = (Object.keys(kind) as Name[]).filter((name) => isPublishable(kind[name]) && name !== 'absent')
    const together = new Set([
      'safeInteger largeInteger',
      'float oddFloat',
      'time timeByFields',
      'dateTime dateTimeByFields',
    ])
    for (const a of names)
      for (const b of names)
        if (a !== b && !together.has(`${a} ${b}`) && !together.has(`${b} ${a}`))
          expect(isPublishable(bothWays(value(a), value(b)))).toBe(false)
  })

  test.each([
    ['null', Buffer.of(0xc0)],
    ['a list', Buffer.of(0x90)],
    ['a list of 8 bits', head(0xd4, 1, 0)],
    ['a map', Buffer.of(0xa0)],
    ['bytes', bytes],
    ['a point that cannot', point(0, Number.NaN)],
    ['an instant too far', atOffset(most + 1n, 1)],
  ])('a list with %s in it cannot be published', (_, odd) => {
    for (const usual of [tiny, float(1), text('x'), point(1, 2), atOffset(0, 0)])
      expect(isPublishable(bothWays(usual, usual, odd))).toBe(false)
    expect(isPublishable(bothWays(odd))).toBe(false)
  })

  test('a list of datetimes that are all given as instants has no instant that is nearly too far', () => {
    const odd = atOffset(0, 1)
    expect(bothWays(odd, atOffset(most - 86_400n, 0))).toBe(list + kind.dateTimeByFields)
    expect(bothWays(odd, atOffset(most - 86_399n, 0))).toBe(list + kind.farDateTime)
    expect(bothWays(odd, atOffset(86_400n - most, 0))).toBe(list + kind.dateTimeByFields)
    expect(bothWays(odd, atOffset(86_399n - most, 0))).toBe(list + kind.farDateTime)
    expect(bothWays(atOffset(most + 1n, 0), atOffset(0, 0))).toBe(list + kind.dateTime)
  })
})
