/** `Date` headers have whole seconds, and an answer takes some time to arrive. */
const inexactMs = 2_000

export type StoreClock = ReturnType<typeof createStoreClock>

/**
 * The store's clock, as its last answer showed it. All processes and the objects share it, while their own clocks may
 * differ by minutes, or jump. Where it agrees with the clock of this process, that one gives the milliseconds.
 */
export function createStoreClock() {
  let heard: { time: number; at: number } | null = null
  return {
    /** `date`: the header of an answer that has just arrived. */
    hear(date: string | undefined) {
      const time = Date.parse(date ?? '')
      if (Number.isFinite(time)) heard = { time, at: performance.now() }
    },
    /** Epoch milliseconds. */
    now(): number {
      if (heard === null) return Date.now()
      const earliest = heard.time + performance.now() - heard.at
      return Math.round(Math.min(Math.max(Date.now(), earliest), earliest + inexactMs))
    },
  }
}
