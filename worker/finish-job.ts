import type { AppError } from '../shared/errors/app-error.ts'
import type { JobRecord } from '../shared/jobs/record.ts'
import { packetName, requestKey } from '../shared/storage/keys.ts'
import type { WorkerContext } from './context.ts'
import { totals } from './publish-packet.ts'

/** Marks a job succeeded if one of its runs has committed its packet, and says whether. */
export async function finishCommitted(context: WorkerContext, job: JobRecord): Promise<boolean> {
  const generation = await context.generations.ofJob(packetName(job.orgName, job.fileName), job.id)
  if (generation === null) return false
  await succeedJob(context, job, generation)
  return true
}

export async function succeedJob(context: WorkerContext, job: JobRecord, generation: number): Promise<void> {
  const { records, views, generations, failpoint } = context
  const name = packetName(job.orgName, job.fileName)
  failpoint('beforePlainFiles')
  await views.refresh(name)
  failpoint('beforeSucceeded')
  // The progress is that of what was committed: another attempt may have begun since, and got less far.
  const manifest = await generations.read(name, generation)
  const { subRequests } = job.progress
  const done = { phase: 'done', subRequests, subRequestsDone: subRequests, ...totals(manifest?.parts ?? []) } as const
  await records.finish(job.id, 'succeeded', { generation, progress: done })
  await finished(context, job, 'succeeded')
}

/** Fails a job for good, unless a run of it has committed all the same. */
export async function failJob(
  context: WorkerContext,
  job: JobRecord,
  { status, code, message }: AppError,
): Promise<void> {
  if (await finishCommitted(context, job)) return
  await context.records.finish(job.id, 'failed', { error: { status, code, message } })
  await finished(context, job, code)
}

export async function cancelJob(context: WorkerContext, job: JobRecord): Promise<void> {
  await context.records.finish(job.id, 'cancelled', {})
  await finished(context, job, 'cancelled')
}

async function finished({ store, log, metrics }: WorkerContext, job: JobRecord, outcome: string): Promise<void> {
  metrics.jobs.inc({ outcome })
  log.info({ jobId: job.id, outcome }, 'job finished')
  await store.remove(requestKey(job.orgName, job.id)).catch((error) => log.warn({ err: error }, 'request not removed'))
}
