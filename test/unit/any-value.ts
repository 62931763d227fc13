import fc from 'fast-check'
import neo4j from 'neo4j-driver'

const { Date: GraphDate, DateTime, Duration, LocalDateTime, LocalTime, Point, Time } = neo4j.types
const whole = (min: number, max: number) => fc.integer({ min, max }).map(BigInt)
const date = [fc.oneof(whole(1970, 2025), whole(-20_000, 20_000)), whole(1, 12), whole(1, 28)] as const
const time = [whole(0, 23), whole(0, 59), whole(0, 59), fc.oneof(fc.constant(0n), whole(0, 999_999_999))] as const
const offset = fc.oneof(
  fc.constant(0n),
  whole(-18, 18).map((hours) => hours * 3_600n),
  whole(-64_800, 64_800),
)
const zone = fc.constantFrom(undefined, undefined, 'Europe/Berlin')

const dates = fc.tuple(...date).map((fields) => new GraphDate(...fields))
const localDateTimes = fc.tuple(...date, ...time).map((fields) => new LocalDateTime(...fields))
const times = fc.tuple(...time, offset).map((fields) => new Time(...fields))
const dateTimes = fc.tuple(...date, ...time, offset, zone).map((fields) => new DateTime(...fields))
const odd = fc.constantFrom('a', '"', '\\', '\n', '\u0000', '\u001f', '\u007f', 'é', '\ud83d')
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), fc.string({ unit: odd, maxLength: 5 }), fc.string())
const integer = fc.oneof(whole(-200, 200), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
const scalar = fc.oneof(text, fc.boolean(), integer, fc.double(), dates, localDateTimes, dateTimes)

/** Any value that the driver can return, including byte arrays, which have no rendering. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 9, arbitrary: scalar },
  fc.tuple(...time).map((fields) => new LocalTime(...fields)),
  fc.tuple(integer, integer, whole(-99, 99), whole(-99, 99)).map((fields) => new Duration(...fields)),
  fc.tuple(fc.double(), fc.double()).map(([x, y]) => new Point(7203n as never, x, y)),
  times,
  ...[text, fc.boolean(), integer, fc.double(), dates, times, localDateTimes, dateTimes].map((one) =>
    fc.array(one as fc.Arbitrary<unknown>, { maxLength: 3 }),
  ),
  { weight: 1, arbitrary: fc.constant(new Int8Array([1])) },
)

/** Properties with these keys, in any order. */
export const anyProperties = (keys: readonly string[]): fc.Arbitrary<ReadonlyMap<string, unknown>> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), anyValue), { selector: ([key]) => key, maxLength: 6 })
    .map((entries) => new Map(entries))
