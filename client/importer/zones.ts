import { NotCarried } from './not-carried.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
/** Zones whose formats are kept: each takes some 100 kB, and there are some 600 zones. */
const formatsKept = 50

/** Seconds of a cycle of the calendar: after 400 years, days of the week and rules of summer time repeat. */
const cycleSeconds = 12_622_780_800n
/** Near the ends of what JavaScript's dates reach. Before the first, every zone keeps its first offset. */
const [earliest, latest] = [-8_000_000_000_000n, 8_000_000_000_000n]

const quarterHour = 900n
const offsets = new Map<string, number>()
/** Offsets that are remembered. Rows of one table are mostly of one zone and few years. */
const offsetsKept = 10_000

/**
 * The offset of a zone at an instant, in seconds, by the time-zone data of this Node.js.
 * @throws NotCarried if it does not know the zone
 */
export function offsetAt(zone: string, epochSeconds: bigint): number {
  // No zone changes its offset within a quarter of an hour that begins at a multiple of 900 s, except before 1973.
  const isRecent = epochSeconds > 94_694_400n
  const key = `${isRecent ? epochSeconds / quarterHour : `s${epochSeconds}`} ${zone}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  if (offsets.size >= offsetsKept) offsets.clear()
  const offset = parsed(nameAt(zone, epochSeconds))
  offsets.set(key, offset)
  return offset
}

function nameAt(zone: string, epochSeconds: bigint): string {
  const over = epochSeconds > latest ? (epochSeconds - latest) / cycleSeconds + 1n : 0n
  const at = epochSeconds < earliest ? earliest : epochSeconds - over * cycleSeconds
  const parts = formatOf(zone).formatToParts(Number(at) * 1_000)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  if (formats.size >= formatsKept) formats.clear()
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    formats.set(timeZone, format)
    return format
  } catch {
    throw new NotCarried('a datetime in a time zone that this Node.js does not know')
  }
}

/** `GMT`, `GMT+05:30` or `GMT-04:56:02`. */
function parsed(name: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? []
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}

/**
 * Whether a local time without its offset means this instant. In the hour that the end of summer time repeats, it means
 * the earlier one.
 */
export function isFirstOfLocal(zone: string, epochSeconds: bigint, offset: number): boolean {
  const local = epochSeconds + BigInt(offset)
  const before = offsetAt(zone, epochSeconds - 86_400n)
  const other = local - BigInt(before)
  return before === offset || other >= epochSeconds || offsetAt(zone, other) !== before
}
