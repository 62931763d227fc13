/**
 * What the service must know about a property's value before it writes it: which expression the value needs in a
 * statement, which type a model gives it, and whether it can be published at all. A list has the kind of its elements,
 * plus `list`.
 */
export const kind = {
  absent: 0,
  string: 1,
  boolean: 2,
  /** An integer that a float represents exactly; then any other integer. */
  safeInteger: 3,
  largeInteger: 4,
  float: 5,
  /** Infinite, or NaN. */
  oddFloat: 6,
  date: 7,
  localTime: 8,
  localDateTime: 9,
  /** A time whose offset has no seconds, so that Cypher can parse its text; then any other time. Datetimes likewise. */
  time: 10,
  timeByFields: 11,
  dateTime: 12,
  dateTimeByFields: 13,
  duration: 14,
  point: 15,
  pointInSpace: 16,
  /** Types that only Cypher 25 can make. */
  uuid: 17,
  vectorOfInteger8: 18,
  vectorOfInteger16: 19,
  vectorOfInteger32: 20,
  vectorOfInteger64: 21,
  vectorOfFloat32: 22,
  vectorOfFloat64: 23,
  /** The rest cannot be published. */
  oddPoint: 24,
  farDateTime: 25,
  /** A zoned datetime without its offset, as versions of Bolt before 4.3 send it. The offset must be added first. */
  zonedAtLocal: 26,
  other: 27,
} as const
export type Kind = number

export const list = 32
/** The kind of `[]`. */
export const emptyList = list + kind.absent

export const isList = (of: Kind): boolean => of >= list
export const elementKind = (of: Kind): Kind => of & (list - 1)
/** Whether only Cypher 25 can make values of this kind. */
export const needsCypher25 = (of: Kind): boolean => elementKind(of) >= kind.uuid && elementKind(of) < kind.oddPoint
export const isVector = (of: Kind): boolean => of > kind.uuid && of < kind.oddPoint
export const isPublishable = (of: Kind): boolean => elementKind(of) < kind.oddPoint

// Of these pairs, the second kind has the expression for both.
const together: ReadonlyMap<Kind, Kind> = new Map<Kind, Kind>([
  [kind.safeInteger, kind.largeInteger],
  [kind.float, kind.oddFloat],
  [kind.time, kind.timeByFields],
  [kind.dateTime, kind.dateTimeByFields],
])

/** The kind of both in a list: one expression converts all elements. */
export function combined(one: Kind, other: Kind): Kind {
  if (one === other || together.get(other) === one) return one
  if (together.get(one) === other) return other
  // No database stores values of two types in a list.
  return isPublishable(one) && isPublishable(other) ? kind.other : Math.max(one, other)
}

/**
 * Distance from 1970 of a datetime that a packet gives as an instant. Beyond this limit the value is unpublishable:
 * Cypher counts milliseconds in 64 bits, and would read back another instant.
 */
export const mostSeconds = 2n ** 63n / 1_000n

export const kindOfInstant = (seconds: bigint): Kind =>
  seconds <= mostSeconds && seconds >= -mostSeconds ? kind.dateTimeByFields : kind.farDateTime

/** Tags of structures. Zoned datetimes have local seconds or UTC seconds, depending on the version of Bolt. */
export const tag = {
  date: 0x44,
  localTime: 0x74,
  time: 0x54,
  localDateTime: 0x64,
  dateTimeAtLocal: 0x46,
  dateTime: 0x49,
  zonedAtLocal: 0x66,
  zoned: 0x69,
  /** Not a tag of Bolt: `zonedAtLocal` with its offset as a fourth field. */
  zonedWithOffset: 0x6a,
  duration: 0x45,
  point: 0x58,
  pointInSpace: 0x59,
  vector: 0x56,
} as const

/** The kinds of vectors by the byte that Bolt 6 gives for the type of their elements. */
export const vectors: Readonly<Record<number, Kind>> = {
  200: kind.vectorOfInteger8,
  201: kind.vectorOfInteger16,
  202: kind.vectorOfInteger32,
  203: kind.vectorOfInteger64,
  198: kind.vectorOfFloat32,
  193: kind.vectorOfFloat64,
}
