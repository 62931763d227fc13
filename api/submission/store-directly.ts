import { randomUUID } from 'node:crypto'
import { packetNameProblem } from '../../packet/names.ts'
import type { PacketShape } from '../../packet/packet-shape.ts'
import { packetDigest } from '../../packet/parts/packet-digest.ts'
import type { PartSink } from '../../packet/parts/packet-writer.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { partStored } from '../../shared/observability/events.ts'
import type { PacketContent } from '../../shared/publish/content.ts'
import { locationFields, publishResponse, statementFields } from '../../shared/publish/response.ts'
import type { Compression } from '../../shared/storage/compression.ts'
import { commitMs } from '../../shared/storage/generations.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { stageParts } from '../../shared/storage/staging.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { bytesOf, defaultLifetimeSeconds, sourcesOf } from './job-answer.ts'
import { lifeDays } from './life-days.ts'

interface DirectPacket {
  orgName: string
  fileName: string
  expiresAfterDays: number | null | undefined
  compression: Compression | null | undefined
  /** The content of the packet. `shape` counts what its pairs are about. */
  contentOf: (shape: PacketShape) => PacketContent
}

/** Stores a packet that needs no origin: the same commit as for a job, without the queue. Contract 7.9, 7.10. */
export async function storeDirectly(
  context: ApiContext,
  changed: Input['changed'],
  { orgName, fileName, expiresAfterDays, compression, contentOf }: DirectPacket,
  write: (sink: PartSink) => Promise<PacketShape>,
): Promise<Answer> {
  const { config, store, generations, packets, records, views } = context
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
  const discard = staging.discard
  const shape = await write(async (part) => {
    await staging.put(part)
    partStored(context, part)
  }).catch(async (error) => {
    await discard().catch(() => {})
    throw error
  })
  await views.markStale(name)
  const options = { force: false, taken, above: Number.POSITIVE_INFINITY, until }
  const packet = { staged: staging.manifest(), content: contentOf(shape), days, discard }
  const { generation, manifest } = await generations.commitStaged(name, packet, options)
  const { jobId, parts } = manifest
  changed({ action: 'packet.publish', orgName, fileName, generation, sha256: packetDigest(parts), jobId })
  await views.refresh(name)
  const files = packets.filesOf(fileName, manifest)
  const urls = await packets.sign(files, defaultLifetimeSeconds)
  const statements = bytesOf(files) <= config.limits.inlineBytes ? statementFields(sourcesOf(context, files)) : {}
  return { kind: 'publish', response: publishResponse({ ...statements, ...locationFields(urls) }) }
}
