/** The runs under way in this worker, at most so many at a time. */
export interface Slots {
  /** Around every run. */
  hold<T>(run: () => Promise<T>): Promise<T>
  readonly size: number
  readonly busy: number
  /** When a run last began, milliseconds of `performance.now()`; when the worker started, before the first. */
  readonly lastBegunAt: number
  /** When the run began that is under way for the longest; null without one. */
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
      // Entries stay in the order in which they were made.
      return begun.values().next().value ?? null
    },
  }
}
