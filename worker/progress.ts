import type { PacketProgress } from '../shared/publish/build-packet.ts'
import type { WorkerContext } from './context.ts'
import type { Step } from './steps.ts'

const everyMs = 500

/**
 * Reports a run's progress to the records periodically. The signal aborts if they answer that the run must stop:
 * another attempt has started (for example because this worker was frozen past its lock), or the job is being
 * cancelled.
 */
export function trackProgress({ log }: Pick<WorkerContext, 'log'>, step: Step, attempt: number, stopping: AbortSignal) {
  const stopped = new AbortController()
  let latest: PacketProgress = { subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 }
  /** @returns why the run must stop, if it must. */
  const report = () => step.report(attempt, latest)
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
