import type { Check } from '../check/check.ts'
import type { Template } from '../cypher/parameters.ts'
import type { Scanner } from '../read-back/scanner.ts'
import type { Phase } from './phases.ts'
import type { IdentifiedNode, Statement } from './statement.ts'

/**
 * Everything that the product knows about one kind of statement. `S` is its structure: the arguments from which the
 * service writes a statement of this kind.
 */
export interface KindDefinition<S> {
  /** For messages: `node upsert`. */
  title: string
  /** When a replay runs its pairs. */
  phase: Phase
  write(structure: S): Statement<unknown>
  /** The text that earlier versions of the service wrote for a structure, where it may differ. */
  formerText?(structure: S): Template
  /**
   * Reads a text back. May read more texts than `write` writes, but none that changes the identity of what it finds.
   * @throws mismatch if the text is of another kind
   */
  read(scanner: Scanner): S
  /** The nodes that a statement finds by identity; for a relationship, the start comes first. */
  identities(structure: S): IdentifiedNode[]
  /** The parameter with the list of all that one pair deletes. A replay may cut the list. */
  list?: string
  /** How to find out whether a pair would change anything at a target. */
  check(structure: S): Check
}
