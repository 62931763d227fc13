import { expect, test } from 'vitest'
import { requireName } from '../../../client/importer/tables.ts'
import { cellOf, columnType, type Release } from '../../../client/importer/values.ts'
import type { Rendered } from '../../../packet/values/values.ts'

type Value = [value: unknown, wrap?: Rendered['wrap'], list?: boolean]

/** A value as `type text`, or why it is refused. */
function written([value, wrap = null, list = false]: Value, release: Release = '5'): string {
  let byZoneData = ''
  const settings = {
    release,
    onZoneData() {
      byZoneData = ' by zone data'
    },
  }
  try {
    const type = columnType(value, { wrap, list })
    return type === null ? 'missing' : `${type} ${cellOf(value, type, settings)}${byZoneData}`
  } catch (error) {
    return (error as Error).message
  }
}

const instant = (epochSeconds: bigint | string, timezone: string) => ({ epochSeconds, nanosecond: 5n, timezone })
const clock = (timezone: string) => ({ hour: 1n, minute: 2n, second: 3n, nanosecond: 4n, timezone })
const lengths = (months: bigint, days: bigint, seconds: bigint, nanoseconds: bigint) => ({
  months,
  days,
  seconds,
  nanoseconds,
})

const taken: [Value, string][] = [
  [[null], 'missing'],
  [['a "b", \n\u0000'], 'string "a ""b"", \n\u0000"'],
  [[''], 'string ""'],
  [[true], 'boolean true'],
  [[-(2n ** 63n)], 'long -9223372036854775808'],
  [['9007199254740993', 'toInteger'], 'long 9007199254740993'],
  [[1], 'double 1.0'],
  [[-0], 'double -0.0'],
  [[1e23], 'double 1e23'],
  [['NaN', 'toFloat'], 'double NaN'],
  [['-Infinity', 'toFloat'], 'double -Infinity'],
  [['-0044-03-15', 'date'], 'date -0044-03-15'],
  [['+10000-01-01', 'date'], 'date +10000-01-01'],
  [['12:00:00.000000001', 'localtime'], 'localtime 12:00:00.000000001'],
  [['12:00:00+01:00', 'time'], 'time 12:00:00+01:00'],
  [['2024-01-02T03:04:05.6', 'localdatetime'], 'localdatetime 2024-01-02T03:04:05.6'],
  [['2024-01-02T03:04:05+02:00', 'datetime'], 'datetime 2024-01-02T03:04:05+02:00'],
  [
    [instant(1_729_988_940n, 'Europe/Berlin'), 'datetime'],
    'datetime 2024-10-27T02:29:00.000000005+02:00[Europe/Berlin]',
  ],
  [
    [instant(1_729_992_540n, 'Europe/Berlin'), 'datetime'],
    'datetime 2024-10-27T02:29:00.000000005+01:00[Europe/Berlin]',
  ],
  [
    [instant(-3_786_807_838n, 'America/New_York'), 'datetime'],
    'datetime 1850-01-01T00:00:00.000000005[America/New_York] by zone data',
  ],
  [[instant('253402300800', '+02:00'), 'datetimeByFields'], 'datetime +10000-01-01T02:00:00.000000005+02:00'],
  [[lengths(14n, -3n, -1n, 5n), 'duration'], 'duration P14M-3DT-0.999999995S'],
  [[lengths(0n, 0n, 0n, 0n), 'durationByFields'], 'duration P0M0DT0S'],
  [[lengths(0n, 0n, -(2n ** 63n), 0n), 'duration'], 'duration P0M0DT-9223372036854775808S'],
  [[{ srid: 4326n, x: 1.5, y: 2 }, 'point'], 'point "{x:1.5,y:2.0,srid:4326}"'],
  [[{ srid: 9157n, x: -0, y: 0, z: 1e21 }, 'pointInSpaceByFields'], 'point "{x:-0.0,y:0.0,z:1e21,srid:9157}"'],
  [[['a', '', 'b"']], 'string[] "a\ufdd0\ufdd0b"""'],
  [[[1n, 2n]], 'long[] "1\ufdd02"'],
  [[['2024-02-29'], 'date', true], 'date[] "2024-02-29"'],
  [[['01:02:03Z', clock('+01:00')], 'time', true], 'time[] "01:02:03Z\ufdd001:02:03.000000004+01:00"'],
]

test('every type has a column and a text from which the importer makes the same value', () => {
  expect(taken.map(([value]) => written(value))).toEqual(taken.map(([, text]) => text))
})

const refused: [Value, string][] = [
  [[[]], 'an empty list'],
  [[[], 'date', true], 'an empty list'],
  [[['']], 'a list with nothing but an empty string'],
  [[['a\ufdd0', 'b']], 'a list with a string that holds U+FDD0'],
  [[[1n, 1.5]], 'a list of several types'],
  [[[null]], 'a list of several types'],
  [[{ a: 1n }], 'a map'],
  [[2n ** 63n, 'toInteger'], 'an integer beyond 64 bits'],
  [['1.0', 'toInteger'], 'a long that is not written as the service writes it'],
  [['2024', 'date'], 'a date that is not written as the service writes it'],
  [['12:00', 'time'], 'a time that is not written as the service writes it'],
  [['2024-01-02T03:04:05', 'datetime'], 'a datetime that is not written as the service writes it'],
  [['2024-01-02', 'date', true], 'a date that is not written as the service writes it'],
  [[{ ...lengths(0n, 1n, 0n, 0n), weeks: 1n }, 'duration'], 'a duration that is not written as the service writes it'],
  [[{ srid: 4326n, x: 1.5 }, 'point'], 'a point that is not written as the service writes it'],
  [[{ srid: 7203n, x: Number.POSITIVE_INFINITY, y: 1 }, 'point'], 'a point with a coordinate that is not finite'],
  [[instant(0n, 'Mars/Phobos'), 'datetime'], 'a datetime in a time zone that this Node.js does not know'],
  [['1', 'uuid'], 'a UUID'],
  [[[1], 'vectorOfFloat32'], 'a vector'],
]

test('a value that the importer would drop or change, or that the service does not write, is refused', () => {
  expect(refused.map(([value]) => written(value))).toEqual(refused.map(([, problem]) => problem))
})

test('offsets with seconds are for the importer of Neo4j 2026, unless a zone has them', () => {
  const values: Value[] = [
    [clock('+05:53:28'), 'time'],
    [instant(0n, '-00:01:15'), 'datetime'],
    [instant(-3_786_807_838n, 'America/New_York'), 'datetime'],
  ]
  expect(values.map((value) => written(value))).toEqual([
    'a time at an offset with seconds, which only --importer 2026 reads',
    'a datetime at an offset with seconds, which only --importer 2026 reads',
    'datetime 1850-01-01T00:00:00.000000005[America/New_York] by zone data',
  ])
  expect(values.map((value) => written(value, '2026'))).toEqual([
    'time 01:02:03.000000004+05:53:28',
    'datetime 1969-12-31T23:58:45.000000005-00:01:15',
    'datetime 1850-01-01T00:00:00.000000005-04:56:02[America/New_York]',
  ])
})

test('a longitude of -0.0 is refused for the importer of Neo4j 2026, which makes 0.0 of it', () => {
  const at = (srid: bigint, x: number, y: number): Value => [{ srid, x, y }, 'point']
  expect([at(4326n, -0, 1), at(4326n, 1, -0), at(7203n, -0, 1)].map((value) => written(value, '2026'))).toEqual([
    'a point whose longitude is -0.0',
    'point "{x:1.0,y:-0.0,srid:4326}"',
    'point "{x:-0.0,y:1.0,srid:7203}"',
  ])
  expect(written(at(4326n, -0, 1))).toBe('point "{x:-0.0,y:1.0,srid:4326}"')
})

test('the later of two equal local times is refused if only its zone can tell it', () => {
  // Clocks in Monrovia went back by 82 s, from -00:43:08 to -00:44:30.
  const change = BigInt(Date.UTC(1919, 2, 1, 0, 43, 8) / 1_000)
  const at = (epochSeconds: bigint) => written([instant(epochSeconds, 'Africa/Monrovia'), 'datetime'])
  expect([at(change - 10n), at(change + 10n), at(change + 100n)]).toEqual([
    'datetime 1919-02-28T23:59:50.000000005[Africa/Monrovia] by zone data',
    'a datetime in the hour that a zone repeats, at an offset with seconds',
    'datetime 1919-03-01T00:00:18.000000005[Africa/Monrovia] by zone data',
  ])
  // This offset has no seconds, and tells the later time from the earlier one.
  expect(written([instant(-2_717_650_700n, 'America/New_York'), 'datetime'])).toBe(
    'datetime 1883-11-18T12:01:40.000000005-05:00[America/New_York]',
  )
})

test('a name that the importer would cut off is refused', () => {
  for (const name of ['a(b', '{', 'a{x}']) expect(() => requireName(name)).toThrow('a name with ( or {')
  for (const name of ['a:b', 'a,"b', 'a)b}', ' ', '[]']) expect(() => requireName(name)).not.toThrow()
})
