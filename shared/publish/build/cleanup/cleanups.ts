import { idText } from '../../request/identity.ts'
import { type Chunk, noted, noteSkipped, type Work } from '../work.ts'
import type { Absence } from './absence.ts'

/**
 * Writes one cleanup per node of the chunk and relationship type, keeping what the origin has. Seed, `preventCleanup`;
 * contract 4.11, 4.12.
 */
export async function writeCleanups(work: Work, { nodes, identities }: Chunk): Promise<void> {
  const { plan, pairs, writer, keepLists } = work
  for (const type of plan.relationships) {
    const note = noted(plan, (metadata) => metadata.relationship(type.type))
    for (const node of nodes) {
      const lists = keepLists.take(node, type.type)
      const identity = identities.get(node)
      if (identity === undefined) continue
      if (lists === null) {
        noteSkipped(work, 'cleanups')
        continue
      }
      if (plan.cleanup === 'onlyWhereNoneIsLeft' && lists.length > 0) continue
      const about = () => `the cleanup of "${type.type}" at "${idText(identity.id)}"`
      await writer.write(pairs.cleanup(identity, type, lists), about, note)
    }
  }
}

/**
 * Removes the relationships of identities that the origin does not have. Runs last, after everything the request reads
 * was read. Contract 4.11 and 5.
 */
export async function writeAbsent({ plan, pairs, conflicts, writer }: Work, absence: Absence): Promise<void> {
  for (const { identity, value } of absence.all()) {
    conflicts.missed(identity, value)
    for (const type of plan.relationships) {
      const note = noted(plan, (metadata) => metadata.relationship(type.type))
      await writer.write(pairs.cleanup(identity, type, []), `the cleanup of "${type.type}" at "${value}"`, note)
    }
  }
}
