import { idText, mergeText } from '../../../../packet/identity.ts'
import { renderValue } from '../../../../packet/values/render-value.ts'
import type { Rendered } from '../../../../packet/values/values.ts'
import { idForms } from '../../../request/id-forms.ts'
import type { Masker } from '../../../request/mask/masker.ts'
import type { Plan } from '../../../request/plan.ts'
import type { Chunk } from '../chunk.ts'
import type { ConflictDetector } from '../conflicts.ts'
import { countSkipped, type WriteContext, withSettings } from '../request-context.ts'

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
 * Tracks the origin ids that the origin does not have, so that their relationships on the target are removed: each
 * missing id as a string and, where it could be one, as an integer. A node created while the request is read is
 * published, so an identity seen later no longer counts as absent. Contract 4.11 and 5.
 */
export function createAbsence({ index, identity, cleansMissing }: Plan, missing: readonly string[], masker?: Masker) {
  const values = (cleansMissing ? missing : []).flatMap(idForms)
  const absent = new Map(
    values.map((value) => {
      const { label, idProperty } = index
      const rendered = renderValue(value, identity.numbers) as Rendered
      const id = masker ? masker.id(label, idProperty, rendered) : rendered
      return [mergeText(id), { ...index, id }] as const
    }),
  )
  return {
    /** Wraps a detector: forwards every call, and drops missing ids that turn up. */
    observing(others: ConflictDetector): ConflictDetector {
      if (absent.size === 0) return others
      return {
        ...others,
        identified(node, keys, seen) {
          // A request has one id property for each label.
          if (seen.label === index.label) absent.delete(mergeText(seen.id))
          others.identified(node, keys, seen)
        },
      }
    },
    /** The identities not seen so far. */
    all: () => absent.values(),
  }
}

/**
 * Removes the relationships of identities that the origin does not have. Call this last, after all reads of the
 * request. Contract 4.11 and 5.
 */
export async function writeAbsent(context: WriteContext, absence: ReturnType<typeof createAbsence>): Promise<void> {
  const { plan, pairs, conflicts, report, writer } = context
  for (const identity of absence.all()) {
    conflicts.missed(identity)
    for (const type of plan.relationships) {
      report.identity(identity)
      const update = withSettings(plan, (metadata) => metadata.relationship(type.type))
      await writer.write(
        pairs.cleanup(identity, type, []),
        `the cleanup of "${type.type}" at "${idText(identity.id)}"`,
        update,
      )
    }
  }
}
