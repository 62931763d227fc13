import type { StatementKind } from '../../../packet/kinds/statement.ts'
import type { Place } from '../../../packet/parts/parse-part.ts'
import type { PackedPart } from '../order/packed.ts'

/** Statements whose effect depends on what an upsert did before them; a replay runs them in its later phases. */
const dependent: readonly StatementKind[] = ['relationshipCreate', 'postback']
export const isDependent = ({ recognised: { kind } }: PackedPart['items'][number]): boolean => dependent.includes(kind)

/**
 * Parts that are not done when their window is, because some of their pairs were set aside, or may depend on such pairs.
 * No pair of an earlier window depends on them.
 */
export function createLater() {
  const parts: number[] = []
  const refused: Place[] = []
  const aside: Place[] = []
  return {
    parts,
    /** The refused pairs of these parts. */
    refused,
    /** The pairs that were set aside. */
    aside,
    /** Notes the outcome of a window. @returns the parts that are done, and their refused pairs */
    withhold(window: readonly PackedPart[], refusedNow: readonly Place[], asideNow: readonly Place[]) {
      for (const place of asideNow) aside.push(place)
      const waiting = new Set(asideNow.map(({ part }) => part))
      const isUnfinished = ({ number, items }: PackedPart) =>
        waiting.has(number) || (aside.length > 0 && items.some(isDependent))
      const unfinished = new Set(window.filter(isUnfinished).map(({ number }) => number))
      parts.push(...unfinished)
      refused.push(...refusedNow.filter(({ part }) => unfinished.has(part)))
      return {
        parts: window.map(({ number }) => number).filter((number) => !unfinished.has(number)),
        refused: refusedNow.filter(({ part }) => !unfinished.has(part)),
      }
    },
  }
}

export type Later = ReturnType<typeof createLater>
