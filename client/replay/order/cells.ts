/** Items that one lane runs in their order. No two cells that share a bucket run at the same time. */
export interface Cell<T> {
  buckets: readonly number[]
  items: T[]
}

/**
 * Divides items into cells. `bucketsOf` names the one or two buckets of an item. They contain the nodes that the item
 * names, so items of cells without a common bucket do not lock a common node; a cleanup locks the far ends, too.
 */
export function cellsOf<T>(items: readonly T[], bucketsOf: (item: T) => readonly number[]): Cell<T>[] {
  const cells = new Map<number, Cell<T>>()
  for (const item of items) {
    const buckets = bucketsOf(item)
    const [one = 0, other = one] = buckets
    // Both as one number, exact for up to 2^26 buckets, and the same in either order.
    const key = Math.max(one, other) * 2 ** 26 + Math.min(one, other)
    const cell = cells.get(key)
    if (cell) cell.items.push(item)
    else cells.set(key, { buckets, items: [item] })
  }
  return [...cells.values()]
}

/**
 * Runs every cell once, up to `lanes` at a time. A free lane takes the largest cell whose buckets are not in use. After
 * a failure no further cell starts, and the promise rejects with the failure when the running cells have ended.
 */
export function runCells<T>(
  cells: readonly Cell<T>[],
  lanes: number,
  run: (cell: Cell<T>) => Promise<void>,
): Promise<void> {
  const waiting = cells.toSorted((a, b) => b.items.length - a.items.length)
  const busy = new Set<number>()
  const failures: unknown[] = []
  let running = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()

  function startFree(): void {
    while (running < lanes && failures.length === 0) {
      const at = waiting.findIndex(({ buckets }) => !buckets.some((bucket) => busy.has(bucket)))
      if (at === -1) break
      start(...(waiting.splice(at, 1) as [Cell<T>]))
    }
    if (running > 0) return
    if (failures.length > 0) reject(failures[0])
    else resolve()
  }

  async function start(cell: Cell<T>): Promise<void> {
    running++
    for (const bucket of cell.buckets) busy.add(bucket)
    await run(cell).catch((error: unknown) => failures.push(error))
    for (const bucket of cell.buckets) busy.delete(bucket)
    running--
    startFree()
  }

  startFree()
  return promise
}
