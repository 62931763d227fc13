import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { totals } from '../shared/jobs/stored/results.ts'
import { commitLost } from '../shared/observability/events.ts'
import { inSpan } from '../shared/observability/spans.ts'
import type { PacketContent } from '../shared/publish/content.ts'
import { mergeReports } from '../shared/publish/report/report.ts'
import { commitMs } from '../shared/storage/generations.ts'
import { packetName } from '../shared/storage/keys.ts'
import type { ManifestPart, StoredState } from '../shared/storage/manifest.ts'
import type { Staging } from '../shared/storage/staging.ts'
import type { WorkerContext } from './context.ts'

/** What a run commits: the parts that it has staged, or the parts of slices that other runs have built. */
export interface Packet {
  staging: Staging
  parts: ManifestPart[]
  content: PacketContent
  /** Set if the packet may be a base. */
  state?: StoredState
  /** Objects that are of no use once the packet is committed. */
  leftovers?: readonly string[]
}

const dayMs = 24 * 3_600_000

/**
 * The latest generation when the job was submitted. Undefined if that is a day or more ago: a sweep may have removed a
 * later generation since. A clock that gives a time so far ahead was wrong, so nobody knows how long ago that was.
 */
export const latestLately = ({ createdAt, order }: JobRecord) =>
  Math.abs(Date.now() - Date.parse(createdAt)) < dayMs ? order.latestBefore : undefined

/** How long a commit relies on the API, which looked for files of others. */
const freeMs = 10_000

/** Whether the API found no file of others under the name a moment ago. `now`: by the clock of the store. */
const wasFreeLately = ({ order: { freeAt = Number.NEGATIVE_INFINITY } }: JobRecord, now: number) =>
  Math.abs(now - freeAt) < freeMs

/**
 * Updates the record, then creates the generation, which is the commit. Contract 6. Afterwards the run's own parts are
 * discarded, unless the generation has them, or may have them.
 * @returns the generation, which another run of the job may have made.
 */
export async function commitPacket(context: WorkerContext, job: JobRecord, packet: Packet): Promise<number> {
  try {
    return await commitOnce(context, job, packet)
  } catch (error) {
    commitLost(context, job.id, error)
    throw error
  }
}

async function commitOnce(
  { records, generations, failpoint }: WorkerContext,
  job: JobRecord,
  { staging, parts, content, state }: Packet,
): Promise<number> {
  const { subRequests } = job.progress
  const discard = () => staging.discard().catch(() => {})
  failpoint('beforeCommitting')
  const progress = { phase: 'committing', subRequests, subRequestsDone: subRequests, ...totals(parts) } as const
  // Merging limits the report to a size that fits in a record.
  if (!(await records.beginCommit(job, progress, mergeReports([content.report])))) {
    await discard()
    throw errors.jobInterrupted()
  }
  const { orgName, fileName, order } = job
  const name = packetName(orgName, fileName)
  const { force, latestBefore: above, expiresAfterDays: days } = order
  const until = Date.now() + commitMs
  failpoint('beforeManifest')
  const taken = () => errors.fileExists(orgName, fileName)
  const isFree = wasFreeLately(job, generations.now())
  const options = { force, above, latest: latestLately(job), isFree, until, taken }
  const staged = { ...staging.manifest(), parts, ...(state ? { state } : {}) }
  const packet = { staged, content, days, discard }
  const { generation } = await inSpan('commit packet', { kind: 'internal' }, () =>
    generations.commitStaged(name, packet, options),
  )
  // The manifest is in memory, unless it is very large. Sweeps remove the parts that stay if it cannot be read.
  const made = await generations.read(name, generation).catch(() => null)
  if (made !== null && made.run !== staging.run) await discard()
  return generation
}
