import { idText } from '../../../packet/identity.ts'
import type { Chunk } from '../chunk.ts'
import { countSkipped, type WriteContext, withSettings } from '../request-context.ts'
import type { Absence } from './absence.ts'

/**
 * Writes one cleanup per node of the chunk and relationship type, keeping what the origin has. Seed, `preventCleanup`;
 * contract 4.11, 4.12.
 */
export async function writeCleanups(context: WriteContext, { start, nodes, identities }: Chunk): Promise<void> {
  const { plan, writer, cleanup } = context
  for (const type of plan.relationships) {
    const update = withSettings(plan, (metadata) => metadata.relationship(type.type))
    for (const [index, node] of nodes.entries()) {
      const identity = identities.get(node)
      if (identity === undefined) continue
      const pair = cleanup.pairFor(start + index, identity, type)
      const describe = () => `the cleanup of "${type.type}" at "${idText(identity.id)}"`
      if (pair === 'suppressed') countSkipped(context, 'cleanups')
      else if (pair) await writer.write(pair, describe, update)
    }
  }
}

/**
 * Removes the relationships of identities that the origin does not have. Call this last, after all reads of the
 * request. Contract 4.11 and 5.
 */
export async function writeAbsent(context: WriteContext, absence: Absence): Promise<void> {
  const { plan, pairs, conflicts, report, writer } = context
  for (const { identity, value } of absence.all()) {
    conflicts.missed(identity)
    for (const type of plan.relationships) {
      report.identity(identity)
      const update = withSettings(plan, (metadata) => metadata.relationship(type.type))
      await writer.write(pairs.cleanup(identity, type, []), `the cleanup of "${type.type}" at "${value}"`, update)
    }
  }
}
