/** The runs in progress in this worker; their number is bounded by the worker's concurrency. */
export interface Slots {
  /** Does `work` in a slot. The queue's concurrency bounds the number of calls. */
  run<T>(work: () => Promise<T>): Promise<T>
  readonly size: number
  readonly busy: number
  /** Start of the latest run, in milliseconds of `performance.now()`; before the first run, start of the worker. */
  readonly lastStartedAt: number
  /** Start of the oldest run in progress; null if there is none. */
  readonly oldestStartedAt: number | null
}

interface SlotGauges {
  slots: { set(count: number): void }
  busySlots: { set(count: number): void }
}

export function createSlots(size: number, { slots, busySlots }: SlotGauges): Slots {
  const startTimes = new Map<symbol, number>()
  let lastStartedAt = performance.now()
  slots.set(size)
  busySlots.set(0)
  return {
    async run(work) {
      const slot = Symbol('slot')
      lastStartedAt = performance.now()
      startTimes.set(slot, lastStartedAt)
      busySlots.set(startTimes.size)
      try {
        return await work()
      } finally {
        startTimes.delete(slot)
        busySlots.set(startTimes.size)
      }
    },
    size,
    get busy() {
      return startTimes.size
    },
    get lastStartedAt() {
      return lastStartedAt
    },
    get oldestStartedAt() {
      // A Map iterates in insertion order.
      return startTimes.values().next().value ?? null
    },
  }
}
