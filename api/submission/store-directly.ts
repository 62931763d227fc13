import { randomUUID } from 'node:crypto'
import { AppError } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { partStored } from '../../shared/observability/events.ts'
import { packetNameProblem } from '../../shared/packet/names.ts'
import type { PartSink } from '../../shared/packet/parts/packet-writer.ts'
import type { Compression } from '../../shared/packets/compression.ts'
import { commitMs } from '../../shared/packets/generations.ts'
import { packetName } from '../../shared/packets/keys.ts'
import { expiringAfter, type Manifest } from '../../shared/packets/manifest.ts'
import { stageParts } from '../../shared/packets/staging.ts'
import type { PacketContent } from '../../shared/publish/content.ts'
import { digestOf } from '../../shared/publish/manifest-view.ts'
import { locationFields, publishResponse, statementFields } from '../../shared/publish/response.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { bytesOf, defaultLifetimeSeconds, sourcesOf } from './job-answer.ts'
import { lifeDays } from './life-days.ts'

interface DirectPacket {
  orgName: string
  fileName: string
  expiresAfterDays: number | null | undefined
  compression: Compression | null | undefined
  content: PacketContent
}

/** Stores a packet that needs no origin: the same commit as for a job, without the queue. Contract 7.9, 7.10. */
export async function storeDirectly(
  context: ApiContext,
  changed: Input['changed'],
  { orgName, fileName, expiresAfterDays, compression, content }: DirectPacket,
  write: (sink: PartSink) => Promise<void>,
): Promise<Answer> {
  const { config, store, generations, packets, records, plainFiles } = context
  const problem = packetNameProblem(orgName, fileName)
  if (problem) throw errors.invalidRequest([{ path: 'fileName', message: problem }])
  const days = lifeDays(expiresAfterDays, config.limits)
  await packets.requireOrg(orgName)
  const taken = () => errors.fileExists(orgName, fileName)
  if ((await packets.standingOf(orgName, fileName)).isTaken) throw taken()
  // Advisory: without Redis, only the commit of the generation decides.
  const holder = await records.holder(orgName, fileName).catch(() => null)
  if (holder !== null) throw errors.nameInUse(orgName, fileName, holder)
  const name = packetName(orgName, fileName)
  const staging = stageParts(store, name, { jobId: randomUUID(), attempt: 1, compression: compression ?? 'none' })
  const until = Date.now() + commitMs
  let manifest: Manifest
  try {
    await write(async (part) => {
      await staging.put(part)
      partStored(context, part)
    })
    await plainFiles.markStale(name)
    manifest = expiringAfter(days, { ...staging.manifest(), content })
    const options = { force: false, taken, above: Number.POSITIVE_INFINITY, until }
    const generation = await generations.commit(name, manifest, options)
    const { jobId, parts } = manifest
    changed({ action: 'packet.publish', orgName, fileName, generation, sha256: digestOf(parts), jobId })
  } catch (error) {
    // Discard only if the commit certainly failed: an unanswered commit may have succeeded, and then owns the parts.
    const isCertain = error instanceof AppError && error.status !== 503
    if (isCertain) await staging.discard().catch(() => {})
    throw error
  }
  await plainFiles.refresh(name)
  const files = packets.filesOf(fileName, manifest)
  const urls = await packets.sign(files, defaultLifetimeSeconds)
  const statements = bytesOf(files) <= config.limits.inlineBytes ? statementFields(sourcesOf(context, files)) : {}
  return { kind: 'publish', response: publishResponse({ ...statements, ...locationFields(urls) }) }
}
