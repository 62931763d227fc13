import { type Rendered, renderValue } from '../../cypher/values.ts'
import { listIds } from '../read/internal-ids.ts'
import { nodesAtOnce, readNodes } from '../read/nodes.ts'
import { findTargets, type Targets } from '../read/targets.ts'
import type { Plan } from '../request/plan.ts'
import { createAbsence } from './cleanup/absence.ts'
import { writeAbsent, writeCleanups } from './cleanup/cleanups.ts'
import { createIdentityPositions } from './cleanup/identity-positions.ts'
import { createKeepLists } from './cleanup/keep-lists.ts'
import { createLaterKeepLists } from './cleanup/later-keep-lists.ts'
import { identifyNodes, writeNodes } from './nodes.ts'
import { writeRelationships } from './relationships.ts'
import { type Found, findByRelationshipIds, writeFound } from './relationships-by-own-id.ts'
import { noted, type Work } from './work.ts'

/**
 * All origin ids of a request fit into one chunk (500, each possibly stored as string and as integer), so that
 * keep-lists and upserts come from the same rows. Memory holds the relationships of one chunk, plus a few bytes for
 * each relationship from a node already read to one that is not.
 */
const chunkSize = 1_000

/** The elements a request is about, found before any of it is written. */
export interface Selection {
  found: Found | null
  targets: Targets
}

/** What the steps of a request share before its targets are known. */
export type Given = Omit<Work, 'targets' | 'positions' | 'keepLists' | 'laterKeepLists' | 'stamp'>

export async function select(work: Given): Promise<Selection> {
  const { plan } = work
  const found = plan.relationshipIds.length > 0 ? await findByRelationshipIds(work) : null
  const ends = found && plan.originIds.length === 0 ? found.ends : null
  const targets = ends ? { nodes: listIds(ends), rows: null, missing: [] } : await findTargets(work, chunkSize)
  return { found, targets }
}

/**
 * Whether a request may be selected while the previous one is written. Not with relationship ids: finding them already
 * writes to the report and to conflict detection.
 */
export const canBeSelectedAhead = ({ relationshipIds }: Plan): boolean => relationshipIds.length === 0

/**
 * Writes every pair of one request. Seed, Publish request; contract 4 and 5.
 * @param acceptedAt the packet's timestamp, epoch milliseconds.
 * @param interrupted throws when the build must stop.
 */
export async function writeRequest(
  given: Given,
  { found, targets }: Selection,
  acceptedAt: number,
  interrupted: () => void,
): Promise<void> {
  const { plan, writer } = given
  const stamp = plan.timestamp && {
    key: plan.timestamp.property,
    value: renderValue(BigInt(acceptedAt), plan.identity.numbers) as Rendered,
  }
  const absence = createAbsence(plan, targets.missing)
  const positions = canMeetCleanup(plan) ? createIdentityPositions(targets.nodes.length) : null
  const keepLists = createKeepLists()
  const work: Work = {
    ...given,
    conflicts: absence.observing(given.conflicts),
    targets,
    positions,
    stamp,
    keepLists,
    laterKeepLists: positions && createLaterKeepLists(plan, targets.nodes, positions, keepLists),
  }
  noteMissing(work)
  if (found) await writeFound(work, found)
  let next = 0
  while (next < targets.nodes.length) {
    interrupted()
    const start = next
    const size = targets.rows ? chunkSize : Math.min(chunkSize, nodesAtOnce(work))
    const nodes = targets.nodes.slice(start, start + size)
    const rows = targets.rows ?? (await readNodes(work, nodes))
    if (rows === null) continue // too large: row size is now known; retry with a smaller batch
    next += nodes.length
    const chunk = { start, nodes, rows, ...(await identifyNodes(work, rows)) }
    for (const [index, node] of nodes.entries()) {
      const identity = chunk.identities.get(node)
      if (identity) work.positions?.add(identity, start + index)
    }
    work.laterKeepLists?.openUpTo(next)
    if (plan.publishesNodes) await writeNodes(work, chunk)
    else
      writer.note(
        noted(plan, (metadata) => {
          for (const id of chunk.searchIds.values()) metadata.updated(id)
        }),
      )
    for (const type of plan.relationships) await writeRelationships(work, chunk, type)
    if (plan.cleanup !== 'none') await writeCleanups(work, chunk)
  }
  await writeAbsent(work, absence)
}

/** Whether cleanups at both ends may cover one relationship. Types followed one way are cleaned up at one end only. */
const canMeetCleanup = ({ cleanup, relationships }: Plan): boolean =>
  cleanup !== 'none' && relationships.some(({ direction }) => direction === 'both')

/** Records the origin ids not found when the targets were selected. Contract 4.8. */
function noteMissing({ plan, report, writer, targets: { missing } }: Work): void {
  if (missing.length === 0) return
  report.missing('originIds', missing)
  writer.note(noted(plan, (metadata) => metadata.missing('originIds', missing)))
}
