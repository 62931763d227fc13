interface Gauge {
  set(count: number): void
}

/** The runs in progress in this worker. The queue's concurrency, `slots`, bounds their number. */
export function createRunsInProgress(slots: number, gauges: { slots: Gauge; busySlots: Gauge }) {
  const startTimes = new Map<symbol, number>()
  let lastStartedAt = performance.now()
  gauges.slots.set(slots)
  gauges.busySlots.set(0)
  return {
    /** Does `work` as one of the runs. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      const run = Symbol('run')
      lastStartedAt = performance.now()
      startTimes.set(run, lastStartedAt)
      gauges.busySlots.set(startTimes.size)
      try {
        return await work()
      } finally {
        startTimes.delete(run)
        gauges.busySlots.set(startTimes.size)
      }
    },
    slots,
    get count() {
      return startTimes.size
    },
    /** Start of the latest run, in milliseconds of `performance.now()`; before the first run, start of the worker. */
    get lastStartedAt() {
      return lastStartedAt
    },
    /** Start of the oldest run in progress; null if there is none. A Map iterates in insertion order. */
    get oldestStartedAt(): number | null {
      return startTimes.values().next().value ?? null
    },
  }
}

export type RunsInProgress = ReturnType<typeof createRunsInProgress>
