import * as errors from '../shared/errors/catalogue.ts'
import type { JobProgress, JobRecord } from '../shared/jobs/record.ts'
import type { PacketProgress } from '../shared/publish/packet.ts'
import type { WorkerContext } from './context.ts'

const everyMs = 500

/**
 * Writes a run's progress into the record now and then. The record answers when the run must stop, and its signal
 * aborts: another attempt has begun (this worker was frozen past its lock, say), or the job is to be cancelled.
 */
export function trackProgress({ records, log }: WorkerContext, job: JobRecord, attempt: number, stopping: AbortSignal) {
  const stopped = new AbortController()
  const subRequests = job.progress.subRequests
  let latest: JobProgress = { phase: 'reading', subRequests, subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 }
  const write = async () => {
    const stop = await records.progress(job.id, attempt, latest)
    if (stop !== null) stopped.abort(stop === 'cancelling' ? errors.jobCancelled() : errors.jobInterrupted())
  }
  const timer = setInterval(() => {
    write().catch((error) => log.warn({ err: error, jobId: job.id }, 'progress not written'))
  }, everyMs)
  return {
    signal: AbortSignal.any([stopped.signal, stopping]),
    onProgress(progress: PacketProgress) {
      latest = { phase: 'reading', subRequests, ...progress }
    },
    stop: () => clearInterval(timer),
  }
}
