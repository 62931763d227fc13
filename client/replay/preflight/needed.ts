import type { Structure } from '../../../shared/packet/kinds/kinds.ts'
import { identitiesOf } from '../../../shared/packet/kinds/kinds.ts'
import type { Anchor } from '../../../shared/packet/kinds/statement.ts'
import type { Item } from '../order/batches.ts'
import type { Uniqueness } from './constraints.ts'

/** Collects, without duplicates, the properties by which pairs find the nodes that `of` returns. */
export function createNeeds(of: (it: Structure) => readonly Anchor[] = identitiesOf) {
  const needed = new Map<string, Uniqueness>()
  const seen = new WeakSet<object>()
  return {
    add(items: readonly Pick<Item, 'recognised'>[]): void {
      for (const { recognised } of items) {
        if (seen.has(recognised)) continue
        seen.add(recognised)
        for (const { label, idProperty } of of(recognised)) {
          needed.set(`${label}\u0000${idProperty}`, { label, property: idProperty })
        }
      }
    },
    all: (): Uniqueness[] => [...needed.values()],
  }
}
