import type { Driver } from 'neo4j-driver'
import { run } from '../../dev/replay/neo4j.ts'

/**
 * Every storable type, at every edge that JSON, a driver or Cypher could round: Cypher expressions by kind, with
 * distinct values. Neo4j 3.5 and 5 accept all of them.
 */
export const matrix = {
  boolean: ['true', 'false'],
  integer: [
    ...['0', '5', '-7', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740991'],
    ...['-9007199254740992', '-9007199254740993', '9223372036854775806', '9223372036854775807', '-9223372036854775807'],
    '-9223372036854775808',
  ],
  float: [
    ...['0.0', '-0.0', '5.0', '0.1', '-1.5', '4.9e-324', '-4.9e-324', '2.2250738585072014e-308', '1e308', '-1e308'],
    ...[
      '1.7976931348623157e308',
      '1e21',
      '9007199254740992.0',
      "toFloat('9223372036854775808')",
      '123456789012345680.0',
    ],
    ...['1.0 / 0.0', '-1.0 / 0.0', '0.0 / 0.0'],
  ],
  string: [
    ...["''", "' '", "'5'", "'5.0'", "'NaN'", "'null'", "'{p}'", "'$p'", "'a\\nb\\t'", "'quo\"te'", "'back\\\\slash'"],
    ...["'\\u0000'", "'a\\u0000b'", "'\\u001f\\u007f\\u0085\\u2028\\u2029'", "'\\uFEFFbom'", "'\\uFFFD\\uFFFF'"],
    ...["'🎈👩‍👩‍👧‍👦🏳️‍🌈'", "'e\\u0301 \\u00e9'", "'Å\\u212b'", "'עברית\\u202e'", "'\\uD83C\\uDF88'", "'</script>'"],
  ],
  date: [
    ...["date('2024-02-29')", "date('0001-01-01')", "date('0000-02-29')", "date('-0044-03-15')", "date('9999-12-31')"],
    ...['date({year: 10000})', 'date({year: 999999, month: 12, day: 31})', 'date({year: -999999, month: 1, day: 1})'],
    ...['date({year: 999999999, month: 12, day: 31})', 'date({year: -999999999})'],
  ],
  localtime: ["localtime('00:00')", "localtime('23:59:59.999999999')", "localtime('12:00:00.000000001')"],
  time: [
    ...["time('12:34:56.5-05:30')", "time('00:00Z')", "time('00:00:00.000000001+18:00')", "time('23:59:59-18:00')"],
    ...[
      "time({hour: 1, minute: 2, timezone: '+05:53:28'})",
      "time({hour: 23, minute: 0, second: 0, nanosecond: 1, timezone: '-17:59:59'})",
    ],
  ],
  localdatetime: [
    ...["localdatetime('2024-01-02T03:04:05.000000006')", "localdatetime('0001-01-01T00:00')"],
    ...[
      'localdatetime({year: 999999, month: 12, day: 31, hour: 23, minute: 59, second: 59, nanosecond: 999999999})',
      'localdatetime({year: -999999, month: 2, day: 3})',
    ],
  ],
  datetime: [
    ...["datetime('2024-01-02T03:04:05.6+02:00')", "datetime('1969-12-31T23:59:59.999999999Z')"],
    ...[
      "datetime({year: 290000000, timezone: '+00:00:01'})",
      "datetime({year: 999999, timezone: '+18:00'})",
      "datetime({year: -999999, timezone: '-18:00'})",
    ],
    ...["datetime({epochSeconds: -7, nanosecond: 5, timezone: '-00:01:15'})", "datetime('0001-01-01T00:00+01:00')"],
    ...["datetime({year: -44, month: 1, day: 1, hour: 3, minute: 0, second: 0, nanosecond: 4, timezone: '+17:59:59'})"],
  ],
  zoned: [
    ...["datetime('2024-07-01T12:00:00.000000001[Europe/Berlin]')", "datetime('2024-03-31T02:30:00[Europe/Berlin]')"],
    ...["datetime({epochSeconds: 1603585800, timezone: 'Europe/Berlin'})"],
    ...["datetime({epochSeconds: 1603589400, timezone: 'Europe/Berlin'})"],
    ...["datetime('2024-04-07T01:45:00+11:00[Australia/Lord_Howe]')", "datetime('2024-01-01T00:00Z[UTC]')"],
    ...[
      "datetime({year: 1850, month: 1, day: 1, hour: 5, timezone: 'America/New_York'})",
      "datetime({year: 1, timezone: 'Asia/Tokyo'})",
    ],
    ...[
      "datetime({year: 1930, month: 7, timezone: 'Europe/Amsterdam'})",
      "datetime({year: -44, timezone: 'Europe/Rome'})",
    ],
    ...["datetime({year: 1900, timezone: 'Africa/Monrovia'})", "datetime({year: 2024, timezone: 'Etc/GMT+12'})"],
    ...["datetime('1916-10-01T02:30:00[Europe/Dublin]')", "datetime({year: 9999, timezone: 'Pacific/Kiritimati'})"],
  ],
  duration: [
    ...['duration({months: 14, days: -3, seconds: 5, nanoseconds: 6})', 'duration({seconds: -1, nanoseconds: 5})'],
    ...[
      'duration({nanoseconds: -1})',
      'duration({seconds: 0})',
      'duration({months: -1, days: 31})',
      'duration({days: 1.5})',
    ],
    ...['duration({months: 3000, days: -90000})', 'duration({seconds: 9007199254})'],
  ],
  plane: [
    ...['point({x: 1.5, y: -2.0})', 'point({x: -0.0, y: 0.0})', 'point({x: 1e308, y: -4.9e-324})'],
    'point({x: 0.1, y: 1e21})',
  ],
  space: ['point({x: 1.0, y: 2.0, z: 3.0})', 'point({x: -0.0, y: 0.0, z: -0.0})', 'point({x: 0.1, y: 1e-7, z: 1e21})'],
  globe: [
    ...['point({longitude: 12.5, latitude: 55.7})', 'point({longitude: -0.0, latitude: -90.0})'],
    'point({longitude: 180.0, latitude: 90.0})',
  ],
  globeInSpace: [
    'point({longitude: 1.0, latitude: 2.0, height: 3.0})',
    'point({longitude: -180.0, latitude: -0.0, height: -1e308})',
  ],
} as const

/** Durations above 292 years, which Neo4j 3.5 rejects. */
const longDurations = [
  'duration({seconds: 9007199254740993})',
  'duration({months: 3000000000, days: -90000000000})',
  'duration({seconds: 9223372036854775807, nanoseconds: 999999999})',
]
/** The longest negative duration, which Neo4j 4.2 rejects too. */
const longestDuration = 'duration({seconds: -9223372036854775807, nanoseconds: -5})'

/** The durations of different lengths that a server stores, by how far back it goes. */
export const durationsOf = { 3: [], 4: longDurations, 5: [...longDurations, longestDuration] } as const
export type Durations = keyof typeof durationsOf

/** One property per value of a kind, one list of the first two and one of all: `float3`, `two_floats`, `floats`. */
export const propertiesOf = (kind: string, expressions: readonly string[]): [key: string, expression: string][] => [
  ...expressions.map((expression, index): [string, string] => [`${kind}${index}`, expression]),
  // If one element needs an expression, the whole list becomes an expression.
  [`two_${kind}s`, `[${expressions.slice(0, 2).join(', ')}]`],
  [`${kind}s`, `[${expressions.join(', ')}]`],
]

// Several hundred KB of text with non-BMP characters, which does not repeat within one chunk of any encoder.
const long = Array.from({ length: 60_000 }, (_, index) => `${index} 🎈 é`).join('')

/**
 * For each kind, a node and a relationship with all its values, except those that the server refuses.
 * @returns the ids of the nodes.
 */
export async function drawMatrix(
  driver: Driver,
  label: string,
  durations: Durations,
  refused: readonly string[] = [],
): Promise<string[]> {
  const longDuration = durationsOf[durations]
  const kinds: Record<string, readonly string[]> = longDuration.length === 0 ? matrix : { ...matrix, longDuration }
  await run(driver, `CREATE (:${label} {id: 'long', empty: [], long: $long})`, { long })
  for (const [kind, expressions] of Object.entries(kinds)) {
    const taken = expressions.filter((expression) => !refused.includes(expression))
    const map = propertiesOf(kind, taken).map((entry) => entry.join(': '))
    const ends = `CREATE (a:${label} {id: '${kind}'})-[r:T]->(:${label} {id: '${kind} end'})`
    await run(driver, `${ends} WITH a, r, {${map.join(', ')}} AS all SET a += all, r += all`)
  }
  return ['long', ...Object.keys(kinds)]
}
