const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
const two = (number: number) => twoDigits[number] as string

/** `+HH:MM`, with seconds only if they are not zero, as in old local mean times. */
export function offsetText(offsetSeconds: number): string {
  const size = Math.abs(offsetSeconds)
  const seconds = size % 60
  const text = `${two(Math.floor(size / 3_600))}:${two(Math.floor(size / 60) % 60)}${seconds === 0 ? '' : `:${two(seconds)}`}`
  return `${offsetSeconds < 0 ? '-' : '+'}${text}`
}

const secondsOfDay = 86_400
const daysKept = 10_000
const dayTexts = new Map<number, string>()

/** The date this many days after 1970-01-01, as ISO 8601. Most graphs have few distinct dates. */
export function dayText(days: number): string {
  const known = dayTexts.get(days)
  if (known !== undefined) return known
  if (dayTexts.size >= daysKept) dayTexts.clear()
  const text = dateOf(days)
  dayTexts.set(days, text)
  return text
}

/** The date in the proleptic Gregorian calendar. Years outside 0 to 9999 carry a sign, as Cypher requires. */
function dateOf(days: number): string {
  // Years that start in March put the leap day last, so month offsets are fixed; all 400-year eras are equally long.
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const day = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (day - Math.floor(day / 1_460) + Math.floor(day / 36_524) - Math.floor(day / 146_096)) / 365,
  )
  const dayOfYear = day - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const sign = year < 0 ? '-' : year > 9_999 ? '+' : ''
  const digits = String(Math.abs(year)).padStart(4, '0')
  return `${sign}${digits}-${two(month)}-${two(dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1)}`
}

/** The time of day after this many seconds and nanoseconds, as ISO 8601. */
export function timeText(seconds: number, nanoseconds: number): string {
  const text = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  if (nanoseconds === 0) return text
  let fraction = String(nanoseconds).padStart(9, '0')
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return `${text}.${fraction}`
}

/** The local datetime this many seconds and nanoseconds after 1970-01-01T00:00, as ISO 8601. */
export function momentText(seconds: number | bigint, nanoseconds: number): string {
  const [days, second] = typeof seconds === 'number' ? split(seconds) : splitLarge(seconds)
  return `${dayText(days)}T${timeText(second, nanoseconds)}`
}

function split(seconds: number): [days: number, second: number] {
  const days = Math.floor(seconds / secondsOfDay)
  return [days, seconds - days * secondsOfDay]
}

function splitLarge(seconds: bigint): [days: number, second: number] {
  const second = ((seconds % 86_400n) + 86_400n) % 86_400n
  return [Number((seconds - second) / 86_400n), Number(second)]
}
