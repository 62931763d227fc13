import { type Rendered, renderValue } from '../cypher/values.ts'
import { idText } from './identity.ts'
import { idForms } from './targets.ts'
import { type Chunk, noted, noteSkipped, type Work } from './work.ts'

/** One cleanup for each node of the chunk and type: what the origin has is kept. Seed, `preventCleanup`; contract 4.11, 4.12. */
export async function writeCleanups(work: Work, { identities }: Chunk): Promise<void> {
  const { plan, pairs, writer, keepLists } = work
  for (const type of plan.relationships) {
    const note = noted(plan, (metadata) => metadata.relationship(type.type))
    for (const [node, identity] of identities) {
      const lists = keepLists.take(node, type.type)
      if (keepLists.isSpoiled(node, type.type)) {
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
 * Origin ids that do not exist are noted, and their relationships on the target removed: as string, and as integer where
 * they could be either. Not with `toLayer` or `targetFilter`: then nothing says that they were targeted. Contract 4.11.
 */
export async function writeMissing({ plan, pairs, watch, writer, report, targets }: Work): Promise<void> {
  const { missing } = targets
  if (missing.length === 0) return
  report.missing('originIds', missing)
  writer.note(noted(plan, (metadata) => metadata.missing('originIds', missing)))
  if (plan.cleanup === 'none' || plan.toLayer.length > 0 || plan.targetFilter !== null) return
  for (const id of missing) {
    const { text, integer } = idForms(id)
    for (const form of integer === null ? [text] : [text, integer]) {
      const identity = { ...plan.index, id: renderValue(form, plan.identity.numbers) as Rendered }
      watch.missed(identity, form)
      for (const type of plan.relationships) {
        const note = noted(plan, (metadata) => metadata.relationship(type.type))
        await writer.write(pairs.cleanup(identity, type, []), `the cleanup of "${type.type}" at "${id}"`, note)
      }
    }
  }
}
