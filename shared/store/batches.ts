const batchSize = 32

/** Maps the items asynchronously, `batchSize` at a time. */
export async function inBatches<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    results.push(...(await Promise.all(items.slice(start, start + batchSize).map(each))))
  }
  return results
}
