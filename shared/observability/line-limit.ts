/**
 * Log lines a minute about one refusal of Redis or the store, or one address that is not reached. Beyond this limit
 * lines are left out, and the next one says how many.
 */
const linesPerMinute = 10
const minuteMs = 60_000

interface Lines {
  since: number
  written: number
  leftOut: number
}

/** Causes whose lines are counted. Beyond this limit the counts of all start again at zero. */
const mostCauses = 1_000

/** Limits the log lines of each cause, so that a dependency that refuses everything does not fill the log. */
export function createLineLimit(now: () => number = () => performance.now()) {
  const causes = new Map<string, Lines>()

  /** @returns null to leave the line out, or the number of lines left out since the last one. */
  return function admit(cause: string): number | null {
    const last = causes.get(cause)
    if (last === undefined && causes.size >= mostCauses) causes.clear()
    const isOver = last === undefined || now() - last.since >= minuteMs
    const lines = isOver ? { since: now(), written: 0, leftOut: last?.leftOut ?? 0 } : last
    causes.set(cause, lines)
    if (lines.written >= linesPerMinute) {
      lines.leftOut++
      return null
    }
    lines.written++
    const { leftOut } = lines
    lines.leftOut = 0
    return leftOut
  }
}
