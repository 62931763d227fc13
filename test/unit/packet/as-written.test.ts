import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { Altered, asWritten } from '../../../packet/check/as-written.ts'
import type { Wrap } from '../../../packet/values/values.ts'

const { DateTime, Duration, Point, Time, LocalTime } = neo4j.types
const date = () => new neo4j.types.Date(2024n, 7n, 1n)
const noon = (zone: string | undefined, offset: bigint | undefined, hour = 12n) =>
  new DateTime(2024n, 7n, 1n, hour, 0n, 0n, 5n, offset as bigint, zone as string)
const berlin = { epochSeconds: 1_719_828_000n, nanosecond: 5n, timezone: 'Europe/Berlin' }

const isKept = (wrap: Wrap, parameter: unknown, evaluated: unknown, list = false) =>
  !(asWritten({ wrap, list }, parameter, evaluated) instanceof Altered)

test.each<[Wrap, unknown, unknown]>([
  ['toInteger', '9223372036854775807', 9223372036854775807n],
  ['toFloat', 'NaN', Number.NaN],
  ['toFloat', 5n, 5],
  ['date', '2024-07-01', date()],
  ['localtime', '12:00:00', new LocalTime(12n, 0n, 0n, 0n)],
  ['time', '12:00:00+02:00', new Time(12n, 0n, 0n, 0n, 7_200n)],
  [
    'timeByFields',
    { hour: 12n, minute: 0n, second: 0n, nanosecond: 0n, timezone: '-00:01:15' },
    new Time(12n, 0n, 0n, 0n, -75n),
  ],
  ['datetime', '2024-07-01T12:00:00.000000005+02:00', noon(undefined, 7_200n)],
  ['datetime', berlin, noon('Europe/Berlin', 7_200n)],
  ['datetimeByFields', { ...berlin, epochSeconds: '1719828000' }, noon('Europe/Berlin', 7_200n)],
  // Bolt 3 omits the offset.
  ['datetime', berlin, noon('Europe/Berlin', undefined)],
  ['datetime', { ...berlin, timezone: '+02:00' }, noon(undefined, 7_200n)],
  ['duration', { months: 1n, days: -2n, seconds: 3n, nanoseconds: 4n }, new Duration(1n, -2n, 3n, 4n)],
  ['point', { srid: 7203n, x: -0, y: 1 }, new Point(7203n, -0, 1)],
  ['point', { srid: 9157n, x: 1, y: 2, z: 3 }, new Point(9157n, 1, 2, 3)],
  // In forms that the service does not write.
  ['date', '2024-W27-1', date()],
  ['time', '12:00', new Time(12n, 0n, 0n, 0n, 0n)],
  ['datetime', '2024-07-01T12:00:00+02:00[Europe/Berlin]', noon('Europe/Berlin', 7_200n)],
  ['duration', 'P1M', new Duration(1n, 0n, 0n, 0n)],
  ['duration', { hours: 1n }, new Duration(0n, 0n, 3_600n, 0n)],
  ['toFloat', 'many', null],
  ['date', null, null],
])('%s(%o) is what the target says, if that is what the packet says', (wrap, parameter, evaluated) => {
  expect(isKept(wrap, parameter, evaluated)).toBe(true)
  expect(isKept(wrap, [parameter], [evaluated], true)).toBe(true)
  expect(isKept(wrap, [parameter], [], true)).toBe(false)
})

test.each<[Wrap, unknown, unknown]>([
  ['toInteger', '5', 5],
  ['toInteger', '9223372036854775807', 9223372036854775806n],
  ['toFloat', '-Infinity', Number.MIN_VALUE],
  ['date', '2024-07-01', '2024-07-01'],
  ['date', '2024-07-01', null],
  ['localtime', '12:00:00.5', new LocalTime(12n, 0n, 0n, 0n)],
  ['time', '12:00:00+02:00', new Time(10n, 0n, 0n, 0n, 0n)],
  ['datetime', '2024-07-01T12:00:00.000000005+02:00', noon(undefined, 0n, 10n)],
  ['datetime', berlin, noon(undefined, 0n, 10n)],
  ['datetime', berlin, noon('Europe/Paris', 7_200n)],
  ['datetime', berlin, noon('Europe/Berlin', 7_200n, 13n)],
  ['datetime', berlin, noon('Europe/Paris', undefined)],
  ['datetimeByFields', { ...berlin, nanosecond: 6n }, noon('Europe/Berlin', 7_200n)],
  [
    'timeByFields',
    { hour: 12n, minute: 0n, second: 0n, nanosecond: 0n, timezone: '-00:01:15' },
    new Time(12n, 0n, 0n, 0n, 0n),
  ],
  ['duration', { months: 1n, days: 0n, seconds: 0n, nanoseconds: 0n }, new Duration(0n, 30n, 0n, 0n)],
  ['point', { srid: 4326n, x: 1, y: 2 }, new Point(7203n, 1, 2)],
  ['pointInSpaceByFields', { srid: 9157n, x: 1, y: 2, z: 3 }, new Point(9157n, 1, 2)],
])('%s(%o) differs from a target that makes something else of it', (wrap, parameter, evaluated) => {
  expect(isKept(wrap, parameter, evaluated)).toBe(false)
  expect(isKept(wrap, [parameter], [evaluated], true)).toBe(false)
})
