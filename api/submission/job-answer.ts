import * as errors from '../../shared/errors/catalogue.ts'
import type { JobError, JobRecord } from '../../shared/jobs/job.ts'
import {
  failedResponse,
  locationFields,
  publishResponse,
  type StatementSource,
  statementFields,
} from '../../shared/publish/response.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { linkLifetime } from '../../shared/storage/links.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import type { ApiContext } from '../context.ts'
import type { Answer } from '../http/endpoint.ts'

export const defaultLifetimeSeconds = 86_400

/**
 * The response of a finished job, success or failure: to its POST and to later requests for its result. Locations are
 * signed again each time. Contract 7.
 */
export async function jobAnswer(
  context: ApiContext,
  job: JobRecord,
  headers: Record<string, string>,
  returnMinimal: boolean,
): Promise<Answer> {
  if (job.error) return failure(job.error, headers)
  if (job.state === 'cancelled') return failure(errors.jobCancelled(), headers)
  const { generations, packets } = context
  const [name, generation] = [packetName(job.orgName, job.fileName), job.generation ?? 0]
  const manifest = job.packet ?? (await generations.read(name, generation))
  if (manifest === null) return failure(errors.packetGone(), headers)
  const lifetimeSeconds = await linkLifetime(generations, name, { generation, manifest }, defaultLifetimeSeconds)
  if (lifetimeSeconds === 0) return failure(errors.packetGone(), headers)
  const files = packets.filesOf(job.fileName, manifest)
  const urls = await packets.sign(files, lifetimeSeconds)
  const isInline = !returnMinimal && bytesOf(files) <= context.config.limits.inlineBytes
  const statements = isInline ? statementFields(sourcesOf(context, files)) : {}
  return { kind: 'publish', headers, response: publishResponse({ ...statements, ...locationFields(urls) }) }
}

/** Returned, not thrown: outside the publish area a thrown error becomes a problem. */
const failure = (error: Pick<JobError, 'status' | 'message'>, headers: Record<string, string>): Answer => ({
  kind: 'publish',
  status: error.status,
  headers: error.status === 503 ? { ...headers, ...errors.soon } : headers,
  response: failedResponse(error),
})

export const bytesOf = (files: readonly StoredFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

export const sourcesOf = ({ packets }: Pick<ApiContext, 'packets'>, files: readonly StoredFile[]): StatementSource[] =>
  files.map((file) => ({ bytes: file.bytes, open: () => packets.open(file) }))
