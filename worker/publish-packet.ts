import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobProgress, JobRecord } from '../shared/jobs/record.ts'
import { readRequests } from '../shared/jobs/submission.ts'
import { buildPacket, type PacketProgress } from '../shared/publish/packet.ts'
import type { SealedPart } from '../shared/publish/packet-writer.ts'
import type { ManifestPart } from '../shared/storage/generations.ts'
import { packetName } from '../shared/storage/keys.ts'
import { stageParts } from '../shared/storage/staging.ts'
import type { WorkerContext } from './context.ts'

export interface Run {
  attempt: number
  signal: AbortSignal
  onProgress: (progress: PacketProgress) => void
}

/** One attempt at a job: parts staged under its own keys, then the commit, then the plain files. @returns the generation. */
export async function publishPacket(context: WorkerContext, job: JobRecord, run: Run): Promise<number> {
  const { config, store, generations, metrics, failpoint } = context
  const requests = await readRequests(context, job)
  const name = packetName(job.orgName, job.fileName)
  const staging = stageParts(store, name, job.id, run.attempt)
  const sink = async (part: SealedPart) => {
    await staging.put(part)
    metrics.parts.inc()
    metrics.pairs.inc(part.pairs)
    metrics.bytes.inc(part.bytes.length)
    failpoint('partStored')
  }
  const order = {
    requests,
    syntax: requests[0]?.parameterSyntax ?? config.parameterSyntax,
    batchSize: job.batchSize,
    maxPairs: config.limits.jobPairs,
    limitSeconds: config.limits.jobSeconds,
    spentSeconds: job.startedAt === null ? 0 : Math.floor((Date.now() - Date.parse(job.startedAt)) / 1_000),
    acceptedAt: Date.parse(job.createdAt),
  }
  const { signal } = run
  const onProgress = (progress: PacketProgress) => {
    failpoint('midRead')
    run.onProgress(progress)
  }
  const report = await buildPacket(order, { originPolicy: config.origin, sink, signal, onProgress }).catch(
    async (error) => {
      await staging.discard().catch(() => {}) // what stays is an orphan, which the janitor sweeps
      throw error
    },
  )
  const subRequests = requests.length
  const progress: JobProgress = {
    phase: 'committing',
    subRequests,
    subRequestsDone: subRequests,
    ...totals(staging.parts),
  }
  failpoint('beforeCommitting')
  if (!(await context.records.beginCommit(job, run.attempt, progress, report))) {
    await staging.discard().catch(() => {})
    throw errors.jobInterrupted()
  }
  failpoint('beforeManifest')
  const taken = () => errors.fileExists(job.orgName, job.fileName)
  return generations.commit(name, staging.manifest(), { force: job.force, taken }).catch(async (error) => {
    // Lost to another packet, so nothing refers to these parts; after any other error that is not certain.
    if (error instanceof AppError && error.status === 409) await staging.discard().catch(() => {})
    throw error
  })
}

/** What a packet's parts come to, for the progress of its job. */
export function totals(parts: readonly ManifestPart[]) {
  const sum = (field: 'bytes' | 'pairs') => parts.reduce((total, part) => total + part[field], 0)
  return { pairs: sum('pairs'), parts: parts.length, bytes: sum('bytes') }
}
