import { packetDigest } from '../packet/parts/packet-digest.ts'
import type { AppError } from '../shared/errors/app-error.ts'
import type { AnsweredPacket, JobRecord } from '../shared/jobs/job.ts'
import { onlyObjectOf, removeStored, totals, voidStoredParts } from '../shared/jobs/stored/results.ts'
import { audit, namesOf } from '../shared/observability/audit.ts'
import { type JobEnd, jobFinished } from '../shared/observability/events.ts'
import { packetName } from '../shared/storage/keys.ts'
import { type Manifest, unlessUnreadable } from '../shared/storage/manifest.ts'
import { isFinished } from '../wire/job-states.ts'
import { latestLately } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

/**
 * Marks a job as succeeded if one of its runs has committed its packet. A manifest that cannot be read shows no commit:
 * the job ends as damage or as what failed it, and not never. @returns whether a run has committed.
 */
export async function finishCommitted(context: WorkerContext, job: JobRecord): Promise<boolean> {
  const { id, orgName, fileName, order } = job
  const ofJob = context.generations.ofJob(packetName(orgName, fileName), id, order.latestBefore)
  const generation = await unlessUnreadable(ofJob, () => null)
  if (generation === null) return false
  await succeedJob(context, job, generation)
  return true
}

export async function succeedJob(context: WorkerContext, job: JobRecord, generation: number): Promise<void> {
  const { records, views, generations, failpoint } = context
  const name = packetName(job.orgName, job.fileName)
  failpoint('beforePlainFiles')
  const manifest = await generations.read(name, generation)
  if (manifest === null || latestLately(job) === undefined) await views.refresh(name)
  else await views.committed(name, { generation, manifest }, generation === 1 && !job.order.force)
  failpoint('beforeSucceeded')
  // Report the progress of the committed packet: a later attempt may have started and made less progress.
  const { subRequests } = job.progress
  const done = { phase: 'done', subRequests, subRequestsDone: subRequests, ...totals(manifest?.parts ?? []) } as const
  const expiresAt = manifest?.expiresAt ?? null
  const packet = manifest && answeredPacket(manifest)
  const isFirst = await records.finish(job.id, 'succeeded', { generation, packet, expiresAt, progress: done })
  const sha256 = manifest && packetDigest(manifest.parts)
  await afterEnd(context, job, { outcome: 'succeeded', isFirst }, { generation, sha256 })
}

/** Parts of a packet that its job's record has: more would make records long, and a manifest is read for the answer. */
const mostParts = 10

function answeredPacket({ createdAt, expiresAt, parts }: Manifest): AnsweredPacket | null {
  if (parts.length > mostParts) return null
  const stored = parts.map(({ key, bytes, compression }) => ({ key, bytes, ...(compression ? { compression } : {}) }))
  return { createdAt, ...(expiresAt === undefined ? {} : { expiresAt }), parts: stored }
}

/**
 * Fails a job permanently, unless one of its runs has committed. A run that has stored parts may be frozen and resume
 * later: a void generation keeps it from committing after the job has failed.
 */
export async function failJob(context: WorkerContext, job: JobRecord, error: AppError): Promise<void> {
  const { records } = context
  const { status, code, message } = error
  for (;;) {
    const latest = await records.read(job.id)
    if (latest === null || isFinished(latest) || (await finishCommitted(context, latest))) return
    if (!(await voidStoredParts(context, latest))) continue
    if (await records.finish(job.id, 'failed', { error: { status, code, message } }, !latest.begun)) break
  }
  await afterEnd(context, job, { outcome: 'failed', reason: code, isFirst: true })
}

/** Cancels a job, unless one of its runs has committed: a commit takes precedence over the record. */
export async function cancelJob(context: WorkerContext, job: JobRecord): Promise<void> {
  await voidStoredParts(context, job)
  if (await finishCommitted(context, job)) return
  const isFirst = await context.records.finish(job.id, 'cancelled', {})
  context.failpoint('cancelled')
  await afterEnd(context, job, { outcome: 'cancelled', isFirst })
}

interface Published {
  generation: number
  sha256: string | null
}

async function afterEnd(context: WorkerContext, job: JobRecord, end: JobEnd, published?: Published): Promise<void> {
  const { callbacks, log } = context
  if (published && end.isFirst) audit(log, job, { action: 'packet.publish', ...namesOf(job), ...published })
  jobFinished(context, job, end)
  try {
    if (job.callback) await callbacks.add(job)
    const only = end.outcome === 'cancelled' ? null : onlyObjectOf(job)
    if (only === null) await removeStored(context, job, end.outcome)
    else context.endedRequests.add(only)
  } catch (error) {
    log.warn(
      { err: error, jobId: job.id },
      'clean-up of a finished job, or queueing its callback, failed; the janitor will repeat it',
    )
  }
}
