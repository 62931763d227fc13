import { createKeepLists } from './keep-lists.ts'
import type { Slice } from './slice.ts'
import { findTargets } from './targets.ts'
import { writeCleanups, writeMissing } from './write-cleanups.ts'
import { identifyNodes, writeNodes } from './write-nodes.ts'
import { writeRelationships } from './write-relationships.ts'

/**
 * All of a request's origin ids fit into one chunk (500, each possibly stored as string and as integer), so that
 * keep-lists and upserts come from the same rows. Memory is the relationships of so many nodes.
 */
const chunkSize = 1_000

/** Writes every pair of one request. Seed, Publish request; contract 4 and 5. `interrupted` throws when it must stop. */
export async function buildSlice(work: Omit<Slice, 'targets' | 'keepLists'>, interrupted: () => void): Promise<void> {
  const { origin, plan } = work
  const targets = await findTargets(origin, plan)
  const slice: Slice = { ...work, targets, keepLists: createKeepLists() }
  await writeMissing(slice)
  for (let start = 0; start < targets.nodes.length; start += chunkSize) {
    interrupted()
    const nodes = [...targets.nodes.subarray(start, start + chunkSize)]
    const chunk = { start, nodes, identities: await identifyNodes(slice, nodes) }
    if (plan.publishesNodes) await writeNodes(slice, chunk)
    for (const type of plan.relationships) await writeRelationships(slice, chunk, type)
    if (plan.cleansUp) await writeCleanups(slice, chunk)
  }
}
