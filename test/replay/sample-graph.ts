/**
 * A small graph with everything a packet could lose: every value type on nodes and relationships, hubs, mirrored
 * relationships, self-loops, far ends of two kinds with equal ids, odd names. All labels contain `mark`, so that tests
 * can share a database. Valid on Neo4j 3.5 and 5.
 */
export const kinds = (mark: string) => ({ person: `${mark}Person`, movie: `${mark}Movie`, odd: `${mark} odd\`label.` })

const values = `
  s: 'naïve "text" \\u2028 🎈', e: '', t: true, f: false, i: 42, neg: -7, max: 9223372036854775807, min: -9223372036854775808,
  safe: 9007199254740991, unsafe: 9007199254740993, fl: 1.5, whole: 1.0, big: 1e300, tiny: 5e-324, negzero: -0.0,
  nan: 0.0 / 0.0, inf: 1.0 / 0.0, ninf: -1.0 / 0.0,
  d: date('2024-02-29'), dold: date('-0044-03-15'), dfar: date({year: 123456, month: 7, day: 8}),
  lt: localtime('12:34:56.789000001'), tm: time('12:34:56.5-05:30'), ldt: localdatetime('2024-01-02T03:04:05.000000006'),
  dt: datetime('2024-01-02T03:04:05.6+02:00'), dtz: datetime('2024-07-01T12:00:00[Europe/Berlin]'),
  before: datetime('2020-10-25T02:30:00+02:00[Europe/Berlin]'), after: datetime('2020-10-25T02:30:00+01:00[Europe/Berlin]'),
  old: datetime({year: 1850, month: 1, day: 1, hour: 5, timezone: 'America/New_York'}),
  told: time({hour: 1, minute: 2, timezone: '+05:53:28'}), dtold: datetime({epochSeconds: -7, timezone: '-00:01:15'}),
  dur: duration({months: 14, days: -3, seconds: 5, nanoseconds: 6}), dneg: duration({seconds: -1, nanoseconds: 5}),
  p2: point({x: 1.5, y: -2.0}), p3: point({x: 1.0, y: 2.0, z: 3.0}), g2: point({longitude: 12.5, latitude: 55.7}),
  g3: point({longitude: 1.0, latitude: 2.0, height: 3.0}),
  ls: ['a', ''], li: [1, 2], lbig: [1, 9007199254740993], lf: [1.0, -0.0, 2.5], lb: [true, false], empty: [],
  ld: [date('2024-01-01')], ldz: [datetime('2024-07-01T12:00:00[Europe/Berlin]')], lp: [point({x: 1.0, y: 2.0})],
  ldur: [duration('P1M')], lnan: [1.0, 0.0 / 0.0], \`key with space\`: 1, \`a.b\`: 2, \`tick\`\`ed\`: 3, ids_0: 4, baseId: 5,
  a_id: 6, p_0: 7, constructor: 8, index: 'nothing'`

/** The statements that create the graph. */
export function drawing(mark: string): string[] {
  const { person, movie, odd } = kinds(mark)
  const [p, m, o] = [person, movie, odd].map((label) => `\`${label.replaceAll('`', '``')}\``)
  return [
    `UNWIND range(1, 40) AS i CREATE (:${p} {id: 'p' + i, rank: i})`,
    `UNWIND range(1, 20) AS i CREATE (:${m} {title: 'p' + i, year: 1990 + i})`,
    `CREATE (:${p} {id: 5}), (:${p} {id: '5'}), (:${p}:${o} {id: 'types', ${values}})`,
    `MATCH (hub:${p} {id: 'p1'}), (b:${p}) WHERE b.rank > 1 CREATE (hub)-[:KNOWS {since: b.rank}]->(b)`,
    `MATCH (a:${p} {id: 'p2'}), (b:${p} {id: 'p1'}) CREATE (a)-[:KNOWS {since: 0}]->(b)`,
    `MATCH (a:${p} {id: 'p3'}) CREATE (a)-[:KNOWS {self: true}]->(a)`,
    `MATCH (a:${p}), (b:${m}) WHERE a.rank = b.year - 1990 CREATE (a)-[:LIKES {stars: 4.0}]->(b)`,
    `MATCH (a:${p} {id: 'p7'}), (b:${p} {id: 'p8'}) CREATE (a)-[:LIKES]->(b)`,
    `MATCH (a:${m} {title: 'p1'}), (b:${p} {id: 'p9'}) CREATE (a)-[:LIKES]->(b)`,
    `MATCH (a:${p} {id: 5}), (b:${p} {id: '5'}) CREATE (a)-[:KNOWS {from: 'integer'}]->(b)`,
    `MATCH (a:${p} {id: 'types'}), (b:${m} {title: 'p2'}) CREATE (a)-[:\`ODD \`\`TYPE\` {id: 1, ${values}}]->(b)`,
  ]
}

/** Ids of all people and movies, as a request names them. */
export const personIds = [...Array.from({ length: 40 }, (_, index) => `p${index + 1}`), '5', 'types']
export const movieIds = Array.from({ length: 20 }, (_, index) => `p${index + 1}`)

/** Dirt on a target: stale properties, and stale or mirrored relationships, some to nodes absent from the origin. */
export function dirtying(mark: string): string[] {
  const { person, movie } = kinds(mark)
  const [p, m] = [`\`${person}\``, `\`${movie}\``]
  return [
    `CREATE (:${p} {id: 'p1', stale: true, rank: -1}), (:${p} {id: 'p2'}), (:${p} {id: 'p4', rank: 4.5}), (:${p} {id: 'p40'})`,
    `CREATE (:${m} {title: 'p2'}), (:${m} {title: 'p40'}), (:${p} {id: 'ghost'})`,
    `MATCH (a:${p} {id: 'p4'}), (b:${p} {id: 'p1'}) CREATE (a)-[:KNOWS {stale: true}]->(b)`,
    `MATCH (a:${p} {id: 'p1'}), (b:${p} {id: 'p2'}) CREATE (a)-[:KNOWS {stale: true}]->(b)`,
    `MATCH (a:${p} {id: 'p1'}), (b:${p} {id: 'ghost'}) CREATE (a)-[:KNOWS]->(b), (b)-[:KNOWS]->(a)`,
    `MATCH (a:${p} {id: 'p2'}), (b:${p} {id: 'p40'}) CREATE (a)-[:KNOWS]->(b)`,
    `MATCH (a:${p} {id: 'p2'}), (b:${m} {title: 'p40'}) CREATE (a)-[:LIKES]->(b), (b)-[:LIKES]->(a)`,
    `MATCH (a:${p} {id: 'p2'}) CREATE (a)-[:KNOWS]->(a)`,
    `MATCH (a:${m} {title: 'p2'}), (b:${p} {id: 'p40'}) CREATE (a)-[:LIKES]->(b)`,
  ]
}

/** Dirt that remains: nodes absent from the origin, which no request mentions. */
export const leftovers = (mark: string): string[] => [
  `CREATE (:\`${kinds(mark).person}\` {id: 'ghost'}), (:\`${kinds(mark).movie}\` {title: 'p40'})`,
]
