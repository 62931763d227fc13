import type { Job } from 'bullmq'
import type { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import type { Started } from '../shared/jobs/job-records.ts'
import { isSliced } from '../shared/jobs/stored/stored-request.ts'
import type { PacketProgress } from '../shared/publish/build-packet.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
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
  start(): Promise<Started>
  /** @returns whether the job now waits for its slices. */
  run(run: Run): Promise<boolean>
  /** Reports a run's progress to the records. @returns why the run must stop, if it must. */
  report(attempt: number, progress: PacketProgress): Promise<AppError | null>
  /** Records that a run ended on its own, with any outcome. */
  endRun(): Promise<unknown>
}

const reasons = { superseded: errors.jobInterrupted, cancelling: errors.jobCancelled }
const reasonOf = (stop: keyof typeof reasons | null) => (stop === null ? null : reasons[stop]())

export function stepOf(context: WorkerContext, job: JobRecord, delivery: Job<JobPayload>): Step {
  const { slice } = delivery.data
  if (slice !== undefined) return sliceStep(context, job, slice)
  const { records } = context
  const { id } = job
  const { subRequests } = job.progress
  const common = { endRun: () => records.endRun(id) }
  const succeed = async (generation: number | null) => {
    if (generation !== null) await succeedJob(context, job, generation)
    return generation === null
  }
  if (isSliced(job)) {
    return {
      ...common,
      start: () => records.start(id, 'step'),
      run: async (run) => succeed(await publishSlices(context, job, run, delivery)),
      report: async () => reasonOf(await records.progress(id, null, null)),
    }
  }
  return {
    ...common,
    start: () => records.start(id),
    run: async (run) => succeed(await publishPacket(context, job, run)),
    report: async (attempt, progress) =>
      reasonOf(await records.progress(id, attempt, { phase: 'reading', subRequests, ...progress })),
  }
}

function sliceStep(context: WorkerContext, job: JobRecord, slice: number): Step {
  const { slices, config } = context
  return {
    start: () => slices.start(job.id, slice),
    run: (run) => publishSlice(context, job, slice, run).then(() => false),
    async report(attempt, progress) {
      const reply = await slices.progress(job.id, slice, attempt, progress)
      if (typeof reply === 'string') return reasonOf(reply)
      return reply > config.limits.jobPairs ? errors.tooManyPairs(config.limits.jobPairs) : null
    },
    endRun: () => slices.endRun(job.id, slice),
  }
}
