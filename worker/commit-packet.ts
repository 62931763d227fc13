import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { commitLost } from '../shared/observability/events.ts'
import { inSpan } from '../shared/observability/spans.ts'
import type { PacketContent } from '../shared/publish/content.ts'
import { mergeReports } from '../shared/publish/report/report.ts'
import { commitStaged } from '../shared/storage/commit.ts'
import { commitMs } from '../shared/storage/generations.ts'
import { packetName } from '../shared/storage/keys.ts'
import type { Manifest, ManifestPart } from '../shared/storage/manifest.ts'
import type { WorkerContext } from './context.ts'

interface Commit {
  /** The attempt that must still be the latest; null if any run may commit. */
  attempt: number | null
  manifest: Manifest
  content: PacketContent
  /** Removes the staged parts if they cannot be committed; null for parts of slices, which other runs may commit. */
  discard: (() => Promise<void>) | null
}

const dayMs = 24 * 3_600_000

/**
 * The latest generation when the job was submitted. Undefined if that is a day or more ago: a sweep may have removed a
 * later generation since. A clock that gives a time so far ahead was wrong, so nobody knows how long ago that was.
 */
export const latestLately = ({ createdAt, order }: JobRecord) =>
  Math.abs(Date.now() - Date.parse(createdAt)) < dayMs ? order.latestBefore : undefined

/** Updates the record, then creates the generation, which is the commit. Contract 6. @returns the generation. */
export async function commitPacket(
  context: WorkerContext,
  job: JobRecord,
  { attempt, manifest: staged, content, discard }: Commit,
): Promise<number> {
  const { records, generations, failpoint } = context
  const { subRequests } = job.progress
  const parts = totals(staged.parts)
  failpoint('beforeCommitting')
  const progress = { phase: 'committing', subRequests, subRequestsDone: subRequests, ...parts } as const
  // Merging limits the report to a size that fits in a record.
  const report = mergeReports([content.report])
  if (!(await records.beginCommit(job, attempt, progress, report))) {
    await discard?.().catch(() => {})
    const interrupted = errors.jobInterrupted()
    commitLost(context, job.id, interrupted)
    throw interrupted
  }
  const { orgName, fileName, order } = job
  const { force, latestBefore: above, expiresAfterDays: days } = order
  const until = Date.now() + commitMs
  failpoint('beforeManifest')
  const options = { force, above, latest: latestLately(job), until, taken: () => errors.fileExists(orgName, fileName) }
  const packet = { staged, content, days, discard }
  const committed = inSpan('commit packet', { kind: 'internal' }, () =>
    commitStaged(generations, packetName(orgName, fileName), packet, options),
  )
  const { generation } = await committed.catch((error) => {
    commitLost(context, job.id, error)
    throw error
  })
  return generation
}

/** Totals of a packet's parts, for the progress of its job. */
export function totals(parts: readonly ManifestPart[]) {
  const sum = (field: 'bytes' | 'pairs') => parts.reduce((total, part) => total + part[field], 0)
  return { pairs: sum('pairs'), parts: parts.length, bytes: sum('bytes') }
}
