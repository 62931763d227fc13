/**
 * What must be known of a property's value before it is written: which expression it needs in a statement, which type a
 * model gives it, and whether it can be published at all. A list has the kind of its elements, plus `list`.
 */
export const kind = {
  absent: 0,
  string: 1,
  boolean: 2,
  /** An integer that a float represents exactly, and any other. */
  safeInteger: 3,
  largeInteger: 4,
  float: 5,
  /** Infinite, or NaN. */
  oddFloat: 6,
  date: 7,
  localTime: 8,
  localDateTime: 9,
  /** At an offset of whole minutes, so that Cypher can parse its text; and any other. */
  time: 10,
  timeByFields: 11,
  dateTime: 12,
  dateTimeByFields: 13,
  duration: 14,
  point: 15,
  pointInSpace: 16,
  /** The rest cannot be published. */
  oddPoint: 17,
  farDateTime: 18,
  /** Without its offset, as versions of Bolt before 4.3 send it: to be completed first. */
  zonedAtLocal: 19,
  other: 20,
} as const
export type Kind = number

export const list = 32
/** The kind of `[]`. */
export const emptyList = list + kind.absent

export const isList = (of: Kind): boolean => of >= list
export const elementKind = (of: Kind): Kind => of & (list - 1)
export const isPublishable = (of: Kind): boolean => elementKind(of) < kind.oddPoint

/** Tags of structures. The tags of zoned datetimes depend on the version of Bolt: with local seconds, or with UTC seconds. */
export const tag = {
  date: 0x44,
  localTime: 0x74,
  time: 0x54,
  localDateTime: 0x64,
  dateTimeAtLocal: 0x46,
  dateTime: 0x49,
  zonedAtLocal: 0x66,
  zoned: 0x69,
  /** Not of Bolt: `zonedAtLocal` and, as a fourth field, its offset. */
  zonedWithOffset: 0x6a,
  duration: 0x45,
  point: 0x58,
  pointInSpace: 0x59,
} as const
