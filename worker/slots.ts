/** The runs in progress in this worker; their number is bounded by the worker's concurrency. */
export interface Slots {
  /** Runs `run` in a slot. The queue's concurrency bounds the number of calls. */
  hold<T>(run: () => Promise<T>): Promise<T>
  readonly size: number
  readonly busy: number
  /** Start of the latest run, in milliseconds of `performance.now()`; before the first run, start of the worker. */
  readonly lastBegunAt: number
  /** Start of the oldest run in progress; null if there is none. */
  readonly oldestBegunAt: number | null
}

interface SlotGauges {
  slots: { set(count: number): void }
  busySlots: { set(count: number): void }
}

export function createSlots(size: number, { slots, busySlots }: SlotGauges): Slots {
  const begun = new Map<symbol, number>()
  let lastBegunAt = performance.now()
  slots.set(size)
  busySlots.set(0)
  return {
    async hold(run) {
      const slot = Symbol('slot')
      lastBegunAt = performance.now()
      begun.set(slot, lastBegunAt)
      busySlots.set(begun.size)
      try {
        return await run()
      } finally {
        begun.delete(slot)
        busySlots.set(begun.size)
      }
    },
    size,
    get busy() {
      return begun.size
    },
    get lastBegunAt() {
      return lastBegunAt
    },
    get oldestBegunAt() {
      // A Map iterates in insertion order.
      return begun.values().next().value ?? null
    },
  }
}
