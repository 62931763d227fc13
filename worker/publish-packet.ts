import type { JobRecord } from '../shared/jobs/record.ts'
import { readRequests } from '../shared/jobs/stored-request.ts'
import { packetName } from '../shared/packets/keys.ts'
import { stageParts } from '../shared/packets/staging.ts'
import { buildParts, type Run } from './build-parts.ts'
import { commitPacket } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

/** Runs a job once: stages the parts under keys of this run, then commits them. @returns the generation. */
export async function publishPacket(context: WorkerContext, job: JobRecord, run: Run): Promise<number> {
  const { attempt } = run
  const read = await readRequests(context, job)
  const name = packetName(job.orgName, job.fileName)
  const staging = stageParts(context.store, name, { jobId: job.id, attempt, compression: job.order.compression })
  const { observations: _, ...content } = await buildParts(context, job, run, staging, read)
  return commitPacket(context, job, { attempt, manifest: staging.manifest(), content, discard: staging.discard })
}
