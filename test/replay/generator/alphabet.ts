import neo4j from 'neo4j-driver'

/**
 * The few names used in generated cases: few, because a database plans each new query text; separate per suite, because
 * other tests use the same databases concurrently.
 */
export interface Alphabet {
  /** Mapped labels: the default A and C by `id`, B by `key`. */
  a: string
  b: string
  c: string
  /** Unmapped labels. */
  x: string
  y: string
  z: string
  all: readonly string[]
  mappedIndices: Readonly<Record<string, string>>
  relationshipId: (index: number) => string
  relationshipNumber: (index: number) => bigint
  relationshipDay: (index: number) => object
}

export function alphabetOf(suite: string, firstNumber: bigint): Alphabet {
  const [a, b, c, x, y, z] = [...'ABCXYZ'].map((letter) => `Gen${suite}${letter}`) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  return {
    a,
    b,
    c,
    x,
    y,
    z,
    all: [a, b, c, x, y, z],
    mappedIndices: { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'key', [c]: 'id', ...absentLabels(suite) },
    relationshipId: (index) => `gen-${suite}-${index}`,
    relationshipNumber: (index) => (index % 3 === 2 ? 2n ** 60n : 0n) + firstNumber + BigInt(index),
    relationshipDay: (index) => dayOf(firstNumber + BigInt(index)),
  }
}

/** Mapped labels that no node has, as a large model has many. */
const absentLabels = (suite: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`Gen${suite}Absent${index}`, `key${index}`]))

export const types = ['GEN_T', 'GEN_U', 'GEN_V'] as const

const dayOf = (year: bigint) => new neo4j.types.Date(year, 2n, 28n)

/** Node id values of every type, including equal texts and 6.0 for 6; most of them no origin id can name. */
export const idPool: readonly unknown[] = [
  'u',
  '7',
  7n,
  'v',
  6,
  '6',
  'w',
  8n,
  '8',
  2.5,
  'x y',
  '007',
  -3n,
  'q',
  2n ** 60n,
  `${2n ** 60n}`,
  dayOf(2024n),
  '2024-02-28',
  [1n, 2n],
  [1, 2],
  ['u', 'v'],
  true,
  new neo4j.types.Duration(14n, -3n, 5n, 6n),
  new neo4j.types.Point(7203n as never, 1.5, -2),
  new neo4j.types.DateTime(2020n, 7n, 1n, 12n, 0n, 0n, 0n, 7_200n, 'Europe/Berlin'),
  // Ends of ranges. A whole float beyond 64 bits is none of them: the generator also draws such ids as integers.
  2n ** 63n - 1n,
  -(2n ** 63n),
  Number.MIN_VALUE,
]

/** Ids that requests name although the origin rarely has them. */
export const missingIds: readonly string[] = ['gone', '99', '8', '007', '2024-02-28']

/** Values of each kind that statements render differently. */
export const valuePool: readonly unknown[] = [
  'text',
  '',
  1n,
  1,
  -0,
  2n ** 53n + 1n,
  Number.NaN,
  true,
  ['a', 'b'],
  [1n, 2n],
  [1.5, Number.POSITIVE_INFINITY],
  [],
  new neo4j.types.Date(2024n, 2n, 29n),
  new neo4j.types.Duration(14n, -3n, 5n, 6n),
  new neo4j.types.Point(7203n as never, 1.5, -2),
  new neo4j.types.Point(9157n as never, -0, 2.5, -3),
  new neo4j.types.Time(1n, 2n, 3n, 4n, -5_400n),
  new neo4j.types.LocalTime(23n, 59n, 59n, 999_999_999n),
  new neo4j.types.LocalDateTime(2024n, 2n, 29n, 1n, 2n, 3n, 4n),
  new neo4j.types.DateTime(2024n, 2n, 29n, 1n, 2n, 3n, 0n, 19_800n),
  // At an offset with seconds, which no text can hold.
  new neo4j.types.DateTime(1890n, 1n, 1n, 0n, 0n, 0n, 0n, 3_208n),
  [new neo4j.types.Time(1n, 2n, 3n, 4n, 0n), new neo4j.types.Time(1n, 2n, 3n, 4n, 3_600n)],
  [new neo4j.types.LocalDateTime(2024n, 2n, 29n, 1n, 2n, 3n, 4n)],
]

/** Hundreds of properties of all types. */
export const wideProperties: Readonly<Record<string, unknown>> = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`wide${at}`, valuePool[at % valuePool.length]]),
)

export const bytes = new Int8Array([1, 2])
