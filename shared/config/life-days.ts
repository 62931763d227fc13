/**
 * Time that a packet lives, by `expiresAfterDays` or a setting. Beyond this limit the answer is `400 invalidRequest`,
 * or the process does not start. The last day that a date can hold is far later.
 */
export const longestLifeDays = 36_500

/** Parses how many days packets live; decimals are allowed. @throws Error for any other text */
export function parseLifeDays(value: string): number {
  const days = Number(value)
  if (/^\d{1,5}(\.\d{1,9})?$/.test(value) && days > 0 && days <= longestLifeDays) return days
  throw new Error(`must be a number above 0, up to ${longestLifeDays}`)
}
