/** Items that are done together at the latest. */
const mostItems = 500

interface Collected<T> {
  add(item: T): void
  /** Does what was added so far; settles when all of it is done. Call this before the process ends. */
  done(): Promise<void>
}

/**
 * Collects what is not urgent, and passes it on together after `waitMs`. `work` must not throw; it runs once at a time.
 */
export function collect<T>(work: (items: readonly T[]) => Promise<void>, waitMs: number): Collected<T> {
  let items: T[] = []
  let timer: NodeJS.Timeout | undefined
  let working = Promise.resolve()

  function done(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const some = items
    items = []
    if (some.length > 0) working = working.then(() => work(some))
    return working
  }

  return {
    add(item) {
      if (items.push(item) >= mostItems) void done()
      else timer ??= setTimeout(done, waitMs)
    },
    done,
  }
}
