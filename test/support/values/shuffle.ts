import { createRandom } from './random.ts'

/** Shuffles the items in an order that depends only on the seed (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items]
  const random = createRandom(seed)
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    ;[result[index], result[other]] = [result[other] as T, result[index] as T]
  }
  return result
}
