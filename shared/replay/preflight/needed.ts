import type { Item } from '../order/batches.ts'
import { identitiesOf } from '../statements/identities.ts'
import type { Uniqueness } from './constraints.ts'

/** Collects, each once, the properties by which pairs find nodes. */
export function createNeeds() {
  const needed = new Map<string, Uniqueness>()
  const seen = new WeakSet<object>()
  return {
    add(items: readonly Pick<Item, 'recognised'>[]): void {
      for (const { recognised } of items) {
        if (seen.has(recognised)) continue
        seen.add(recognised)
        for (const { label, idProperty } of identitiesOf(recognised)) {
          needed.set(`${label}\u0000${idProperty}`, { label, property: idProperty })
        }
      }
    },
    all: (): Uniqueness[] => [...needed.values()],
  }
}
