import type { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { PacketProgress } from '../shared/publish/build-packet.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
import type { WorkerContext } from './context.ts'

const everyMs = 500

const reasons = { superseded: errors.jobInterrupted, cancelling: errors.jobCancelled }

/**
 * Reports the progress of a run of a job, or of a slice, to the records periodically. The signal aborts if they answer
 * that the run must stop: another attempt has started (for example because this worker was frozen past its lock), the
 * job is being cancelled, or its slices together have too many pairs.
 */
export function trackProgress(
  { records, config, log }: Pick<WorkerContext, 'records' | 'config' | 'log'>,
  { id, slice }: Pick<JobPayload, 'id' | 'slice'>,
  attempt: number,
  stopping: AbortSignal,
) {
  const stopped = new AbortController()
  let latest: PacketProgress = { subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 }
  /** @returns why the run must stop, if it must. */
  async function report(): Promise<AppError | null> {
    const reply = await records.progress(id, attempt, latest, slice)
    if (typeof reply === 'string') return reasons[reply]()
    if (reply === null) return null
    return reply > config.limits.jobPairs ? errors.tooManyPairs(config.limits.jobPairs) : null
  }
  let isReporting = false
  const timer = setInterval(async () => {
    // Send one report at a time: while Redis is unavailable the connection buffers reports without limit.
    if (isReporting) return
    isReporting = true
    try {
      const reason = await report()
      if (reason !== null) stopped.abort(reason)
    } catch (error) {
      log.warn({ err: error }, 'progress not written')
    } finally {
      isReporting = false
    }
  }, everyMs)
  return {
    signal: AbortSignal.any([stopped.signal, stopping]),
    onProgress(progress: PacketProgress) {
      latest = progress
    },
    report,
    stop: () => clearInterval(timer),
  }
}

export type Tracking = ReturnType<typeof trackProgress>
