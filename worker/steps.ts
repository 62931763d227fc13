import type { Job } from 'bullmq'
import type { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobPayload } from '../shared/jobs/queue.ts'
import type { JobRecord } from '../shared/jobs/record.ts'
import { isSliced } from '../shared/jobs/stored-request.ts'
import type { PacketProgress } from '../shared/publish/build-packet.ts'
import type { Run } from './build-parts.ts'
import type { WorkerContext } from './context.ts'
import { succeedJob } from './finish-job.ts'
import { publishPacket } from './publish-packet.ts'
import { publishSlice, publishSlices } from './publish-slices.ts'

/**
 * What a delivery of the queue asks for: a whole publish, the step of a large multi before or after its slices, or one
 * slice.
 */
export interface Step {
  start(): Promise<number | 'finished' | 'cancelling' | 'lost'>
  run(run: Run): Promise<void>
  /** Reports a run's progress to the records. @returns why the run must stop, if it must. */
  report(attempt: number, progress: PacketProgress): Promise<AppError | null>
  /** Records that a run ended on its own, with any outcome. */
  endRun(): Promise<unknown>
}

export function stepOf(context: WorkerContext, job: JobRecord, delivery: Job<JobPayload>): Step {
  const { slice } = delivery.data
  if (slice !== undefined) return sliceStep(context, job, slice)
  return isSliced(job) ? slicedStep(context, job, delivery) : wholeStep(context, job)
}

const reasons = { superseded: errors.jobInterrupted, cancelling: errors.jobCancelled }
const reasonOf = (stop: keyof typeof reasons | null) => (stop === null ? null : reasons[stop]())

function wholeStep(context: WorkerContext, job: JobRecord): Step {
  const { records } = context
  const { subRequests } = job.progress
  return {
    start: () => records.start(job.id),
    run: async (run) => succeedJob(context, job, await publishPacket(context, job, run)),
    report: async (attempt, progress) =>
      reasonOf(await records.progress(job.id, attempt, { phase: 'reading', subRequests, ...progress })),
    endRun: () => records.endRun(job.id),
  }
}

function slicedStep(context: WorkerContext, job: JobRecord, delivery: Job<JobPayload>): Step {
  const { records } = context
  return {
    start: () => records.start(job.id, 'step'),
    run: async (run) => succeedJob(context, job, await publishSlices(context, job, run, delivery)),
    report: async () => reasonOf(await records.progress(job.id, null, null)),
    endRun: () => records.endRun(job.id),
  }
}

function sliceStep(context: WorkerContext, job: JobRecord, slice: number): Step {
  const { slices, config } = context
  return {
    start: () => slices.start(job.id, slice),
    run: (run) => publishSlice(context, job, slice, run),
    async report(attempt, progress) {
      const reply = await slices.progress(job.id, slice, attempt, progress)
      if (typeof reply === 'string') return reasonOf(reply)
      return reply > config.limits.jobPairs ? errors.tooManyPairs(config.limits.jobPairs) : null
    },
    endRun: () => slices.endRun(job.id, slice),
  }
}
