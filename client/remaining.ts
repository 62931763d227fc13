/** Below this share, or before this time, an estimate would jump about. */
const [leastShare, leastSeconds] = [0.02, 3]

/**
 * About how long work will take that has gone on for `seconds`, if it continues at the same rate; null if it is too
 * early to say.
 */
export function remainingSeconds(done: number, total: number, seconds: number): number | null {
  if (total <= 0 || done >= total || done / total < leastShare || seconds < leastSeconds) return null
  return (seconds / done) * (total - done)
}

/** A duration in one or two units: `4 s`, `1 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const
  const first = units.findIndex(([, size]) => whole >= size)
  if (first === -1) return '0 s'
  const [[large, size], small] = [units[first] as (typeof units)[number], units[first + 1]]
  const count = Math.floor(whole / size)
  const rest = small === undefined ? 0 : Math.floor((whole - count * size) / small[1])
  return `${count} ${large}${rest > 0 && small ? ` ${rest} ${small[0]}` : ''}`
}
