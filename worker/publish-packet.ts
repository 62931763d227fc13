import type { JobRecord } from '../shared/jobs/job.ts'
import { readRequests } from '../shared/jobs/stored/stored-request.ts'
import { buildParts, type Run, stagingOf } from './build-parts.ts'
import { commitPacket } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

/** Runs a job once: stages the parts under keys of this run, then commits them. @returns the generation. */
export async function publishPacket(context: WorkerContext, job: JobRecord, run: Run): Promise<number> {
  const { attempt } = run
  const read = await readRequests(context, job)
  const staging = stagingOf(context, job, attempt)
  const { observations: _, ...content } = await buildParts(context, job, run, staging, read)
  return commitPacket(context, job, { attempt, manifest: staging.manifest(), content, discard: staging.discard })
}
