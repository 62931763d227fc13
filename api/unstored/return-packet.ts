import { defaultSyntax } from '../../packet/cypher/parameters.ts'
import type { PartSink } from '../../packet/parts/packet-writer.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { observeBolt } from '../../shared/observability/metrics.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { publishResponse, type StatementSource, statementFields } from '../../shared/publish/response.ts'
import { listHere } from '../../shared/publish/select/list-here.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { bindToModel } from '../submission/bind-to-model.ts'
import { maskKeyFor } from '../submission/mask-key.ts'

/**
 * `returnOnly`: builds the packet in memory, within the limits of a request, and stores nothing. Contract 7.3. Limits
 * concurrent builds; a disconnected client aborts its build. @throws tooManyAtOnce (429), processBusy (503)
 */
export async function returnPacket(
  context: ApiContext,
  { principal, signal }: Pick<Input, 'principal' | 'signal'>,
  submission: Submission,
): Promise<Answer> {
  signal.throwIfAborted()
  // Reserved until the response closes, because the response is held in memory as well.
  signal.addEventListener('abort', context.returnOnlyBudget(principal.identity, 1), { once: true })
  const { config, metrics } = context
  const maskKey = maskKeyFor(submission, config)
  const bound = await bindToModel(context, { principal, signal }, submission)
  const originPolicy = { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: context.keptOrigins }
  const limitSeconds = Math.max(1, config.api.publishWaitSeconds)
  const most = { nodes: config.limits.returnOnlyPairs, what: 'returnOnly permits; store the packet instead' }
  const { requests, listed } = await listHere(bound.requests, { originPolicy, signal, limitSeconds, most })
  const order = {
    requests,
    listed,
    model: bound.model,
    maskKey,
    syntax: requests[0]?.parameterSyntax ?? defaultSyntax,
    batchSize: submission.batchSize,
    maxPairs: config.limits.returnOnlyPairs,
    limitSeconds,
    spentSeconds: 0,
    acceptedAt: Date.now(),
  }
  return returnParts(context, async (sink) => {
    await buildPacket(order, { originPolicy, sink, signal, onProgress: () => {} }).catch((error) => {
      const isOver = error instanceof Error && 'code' in error && error.code === 'tooManyPairs'
      throw isOver ? errors.returnOnlyTooLarge(`${order.maxPairs} pairs`) : error
    })
  })
}

/** Answers with the parts that `write` makes, kept in memory. @throws returnOnlyTooLarge (413) over the inline limit */
export async function returnParts(
  { config }: ApiContext,
  write: (sink: PartSink) => Promise<unknown>,
): Promise<Answer> {
  const limitBytes = config.limits.inlineBytes
  const parts: StatementSource[] = []
  let bytes = 0
  await write(async (part) => {
    bytes += part.bytes.length
    if (bytes > limitBytes) throw errors.returnOnlyTooLarge(`INLINE_LIMIT_BYTES (${limitBytes})`)
    const kept = Buffer.from(part.bytes)
    parts[part.number - 1] = { bytes: kept.length, open: async () => singleChunk(kept) }
  })
  return { kind: 'publish', response: publishResponse(statementFields(parts)) }
}

async function* singleChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
