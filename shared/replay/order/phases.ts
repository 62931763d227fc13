import type { Kind } from '../statements/structure.ts'

/** Kinds of pairs that may run at the same time. */
export interface Phase {
  kinds: readonly Kind[]
  /** Whether one lane runs it alone. */
  isSerial: boolean
}

/**
 * Each phase ends before the next begins: relationships are written while no transaction locks their nodes for another
 * reason. Pairs do not depend on order, so this changes no result. Contract 5, order independence.
 */
export const phases: readonly Phase[] = [
  { kinds: ['nodeUpsert', 'deleteProperties'], isSerial: false },
  // Deletes lock whatever is attached to their nodes, which no choice of lanes keeps apart.
  { kinds: ['nodeDelete'], isSerial: true },
  { kinds: ['relationshipUpsert', 'relationshipCreate'], isSerial: false },
  { kinds: ['cleanup', 'postback'], isSerial: false },
]
