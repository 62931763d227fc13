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
  /** The rest cannot be published. */
  oddPoint: 17,
  farDateTime: 18,
  /** A zoned datetime without its offset, as versions of Bolt before 4.3 send it. The offset must be added first. */
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
} as const
