import type { Origin } from '../origin/connect.ts'
import type { Identity } from './identity.ts'
import { createKeepLists, type KeepLists } from './keep-lists.ts'
import type { PartMetadata } from './metadata.ts'
import type { PacketWriter } from './packet-writer.ts'
import type { PairMaker } from './pairs.ts'
import type { Plan } from './plan.ts'
import type { InternalId } from './reads.ts'
import type { Report } from './report.ts'
import { findTargets, type Targets } from './targets.ts'
import type { Uniqueness } from './uniqueness.ts'
import { writeCleanups, writeMissing } from './write-cleanups.ts'
import { identifyNodes, writeNodes } from './write-nodes.ts'
import { writeRelationships } from './write-relationships.ts'

/** What the steps of one request's publish share. */
export interface Slice {
  origin: Origin
  plan: Plan
  pairs: PairMaker
  writer: PacketWriter
  report: Report
  targets: Targets
  uniqueness: Uniqueness
  keepLists: KeepLists
}

/** Targeted nodes that are read together; `start` is where they stand among all. */
export interface Chunk {
  start: number
  nodes: readonly InternalId[]
  identities: ReadonlyMap<InternalId, Identity>
}

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

/** Notes in a part's metadata the settings its pairs were made with, and what `more` says. */
export const noted =
  (plan: Plan, more: (metadata: PartMetadata) => void) =>
  (metadata: PartMetadata): void => {
    metadata.mapped(plan.mappedIndices)
    more(metadata)
  }
