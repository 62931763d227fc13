import fc from 'fast-check'
import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { param, render } from '../../../../packet/cypher/parameters.ts'
import { renderValue, typeName } from '../../../../packet/values/render-value.ts'
import { expression, type Numbers } from '../../../../packet/values/values.ts'

const { Date: GraphDate, DateTime, Duration, LocalDateTime, LocalTime, Point, Time } = neo4j.types

/** The expression and the parameter of a value, in the notation of the contract tables. */
function rendered(value: unknown, numbers: Numbers = 'plain'): string | null {
  const found = renderValue(value, numbers)
  return found && `${render(expression(found, param('p')), 'braces')} ${found.json}`
}

describe('the value table', () => {
  test.each([
    ['a string', 'naïve "quoted"\n', '{p} "naïve \\"quoted\\"\\n"'],
    ['a boolean', true, '{p} true'],
    ['an integer', 42n, '{p} 42'],
    ['the largest safe integer', 9007199254740991n, '{p} 9007199254740991'],
    ['an integer beyond 2^53', 9007199254740993n, 'toInteger({p}) "9007199254740993"'],
    ['the smallest integer', -9223372036854775808n, 'toInteger({p}) "-9223372036854775808"'],
    ['a whole float', 1, '{p} 1.0'],
    ['negative zero', -0, '{p} -0.0'],
    ['a large float', 1e300, '{p} 1e300'],
    ['a float of 21 digits', 123456789012345680000, '{p} 123456789012345680000.0'],
    ['a subnormal float', 5e-324, '{p} 5e-324'],
    ['NaN', Number.NaN, 'toFloat({p}) "NaN"'],
    ['infinity', Number.NEGATIVE_INFINITY, 'toFloat({p}) "-Infinity"'],
    ['a date', new GraphDate(2024n, 2n, 29n), 'date({p}) "2024-02-29"'],
    ['a date before year 1', new GraphDate(-1n, 1n, 1n), 'date({p}) "-0001-01-01"'],
    ['a date after year 9999', new GraphDate(999999n, 12n, 31n), 'date({p}) "+999999-12-31"'],
    ['a local time', new LocalTime(1n, 2n, 3n, 4n), 'localtime({p}) "01:02:03.000000004"'],
    ['a time', new Time(1n, 2n, 3n, 0n, -5400n), 'time({p}) "01:02:03-01:30"'],
    [
      'a time whose offset has seconds',
      new Time(1n, 2n, 3n, 4n, 1172n),
      'time({p}) {"hour":1,"minute":2,"second":3,"nanosecond":4,"timezone":"+00:19:32"}',
    ],
    [
      'a local datetime',
      new LocalDateTime(2024n, 1n, 2n, 3n, 4n, 5n, 600n),
      'localdatetime({p}) "2024-01-02T03:04:05.0000006"',
    ],
    ['a datetime', new DateTime(2024n, 1n, 2n, 3n, 4n, 5n, 0n, 3600n), 'datetime({p}) "2024-01-02T03:04:05+01:00"'],
    [
      'a zoned datetime in the hour that comes twice',
      new DateTime(2020n, 10n, 25n, 2n, 30n, 0n, 0n, 7200n, 'Europe/Berlin'),
      'datetime({p}) {"epochSeconds":1603585800,"nanosecond":0,"timezone":"Europe/Berlin"}',
    ],
    [
      'a datetime whose offset has seconds',
      new DateTime(1900n, 1n, 1n, 0n, 0n, 0n, 7n, 1172n, 'Europe/Amsterdam'),
      'datetime({p}) {"epochSeconds":-2208989972,"nanosecond":7,"timezone":"Europe/Amsterdam"}',
    ],
    [
      'a zoned datetime of a year for which zones may have other rules elsewhere',
      new DateTime(2027n, 1n, 15n, 12n, 0n, 0n, 0n, -28800n, 'America/Vancouver'),
      'datetime({p}) {"epochSeconds":1800043200,"nanosecond":0,"timezone":"America/Vancouver"}',
    ],
    [
      'a zoned datetime before year 0',
      new DateTime(-1n, 3n, 1n, 0n, 0n, 0n, 0n, 0n, 'UTC'),
      'datetime({p}) {"epochSeconds":-62193657600,"nanosecond":0,"timezone":"UTC"}',
    ],
    ['a duration', new Duration(1n, -2n, 3n, 4n), 'duration({p}) {"months":1,"days":-2,"seconds":3,"nanoseconds":4}'],
    ['a point', new Point(7203n, 1, 2.5), 'point({p}) {"srid":7203,"x":1.0,"y":2.5}'],
    ['a point in space', new Point(4979n, 1, 2, -0), 'point({p}) {"srid":4979,"x":1.0,"y":2.0,"z":-0.0}'],
    ['a list', [1n, 2n], '{p} [1,2]'],
    ['an empty list', [], '{p} []'],
    ['a list of dates', [new GraphDate(2024n, 1n, 2n)], '[x IN {p} | date(x)] ["2024-01-02"]'],
    ['a list with one large integer', [1n, 9007199254740993n], '[x IN {p} | toInteger(x)] [1,"9007199254740993"]'],
    ['a list whose last integer is small', [9007199254740993n, 1n], '[x IN {p} | toInteger(x)] ["9007199254740993",1]'],
    ['a list with NaN', [1, Number.NaN], '[x IN {p} | toFloat(x)] [1.0,"NaN"]'],
  ])('the value table renders %s', (_name, value, expected) => {
    expect(rendered(value)).toBe(expected)
  })

  test.each([
    ['byte array', new Int8Array([1])],
    ['list with a byte array', [new Int8Array([1])]],
    ['point with a coordinate that is not finite', new Point(7203n, Number.NaN, 1)],
    [
      'datetime in a named zone or at an offset with seconds, more than 292 million years away',
      new DateTime(-292_300_000n, 1n, 1n, 0n, 0n, 0n, 0n, 1n),
    ],
    ['null', null],
    ['map', new Map()],
  ])('the value table has no rendering for a %s, but a type name', (name, value) => {
    expect(renderValue(value)).toBeNull()
    expect(typeName(value)).toBe(name)
  })
})

const asIntegers = (names: string[], of: string) => names.map((name) => `${name}: toInteger(${of}.${name})`).join(', ')
const durationFields = ['months', 'days', 'seconds', 'nanoseconds']

test.each([
  ['an integer', 42n, 'toInteger({p}) 42'],
  ['a list of floats', [1, -0], '[x IN {p} | toFloat(x)] [1.0,-0.0]'],
  [
    'times of which one is given by its fields',
    [new Time(1n, 2n, 3n, 0n, 3_600n), new Time(1n, 2n, 3n, 0n, 3_601n)],
    `[x IN {p} | time({${asIntegers(['hour', 'minute', 'second', 'nanosecond'], 'x')}, timezone: x.timezone})] [{"hour":1,"minute":2,"second":3,"nanosecond":0,"timezone":"+01:00"},{"hour":1,"minute":2,"second":3,"nanosecond":0,"timezone":"+01:00:01"}]`,
  ],
  [
    'a duration',
    new Duration(1n, -2n, 3n, 4n),
    `duration({${asIntegers(durationFields, '{p}')}}) {"months":1,"days":-2,"seconds":3,"nanoseconds":4}`,
  ],
  [
    'durations that a float would round',
    [new Duration(0n, 0n, 9007199254740993n, 5n), new Duration(0n, 0n, -9223372036854775808n, 0n)],
    `[x IN {p} | duration({${asIntegers(durationFields, 'x')}})] [{"months":0,"days":0,"seconds":"9007199254740993","nanoseconds":5},{"months":0,"days":0,"seconds":"-9223372036854775808","nanoseconds":0}]`,
  ],
  [
    'an instant that a float would round',
    new DateTime(290_000_000n, 1n, 1n, 0n, 0n, 0n, 7n, 1n),
    `datetime({${asIntegers(['epochSeconds', 'nanosecond'], '{p}')}, timezone: {p}.timezone}) {"epochSeconds":"9151453912780799","nanosecond":7,"timezone":"+00:00:01"}`,
  ],
])('in strict mode the statement converts %s to its type', (_name, value, expected) => {
  expect(rendered(value, 'strict')).toBe(expected)
})

test('every float round-trips, negative zero included, and stays a float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const json = renderValue(value)?.json ?? ''
      expect(json).toMatch(/[.e]/)
      expect(Object.is(JSON.parse(json), value)).toBe(true)
    }),
  )
})

test('every 64-bit integer keeps its digits', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const { json = '', wrap } = renderValue(value) ?? {}
      expect(BigInt(json.replaceAll('"', ''))).toBe(value)
      expect(wrap).toBe(
        Number.isSafeInteger(Number(value)) && BigInt(Number(value)) === value && !json.startsWith('"')
          ? null
          : 'toInteger',
      )
    }),
  )
})

test('every string round-trips', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(JSON.parse(renderValue(value)?.json ?? '')).toBe(value)
    }),
  )
})
