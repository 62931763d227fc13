import * as errors from '../../shared/errors/catalogue.ts'
import type { Submission } from '../../shared/jobs/submission.ts'
import { buildPacket } from '../../shared/publish/packet.ts'
import type { SealedPart } from '../../shared/publish/packet-writer.ts'
import { publishResponse, type StatementSource, statementFields } from '../../shared/publish/response.ts'
import type { ApiContext } from '../context.ts'
import type { Answer } from '../endpoint.ts'

/** `returnOnly`: the packet is built here, in memory, within the caps of a request, and stored nowhere. Contract 7.3. */
export async function returnPacket({ config }: ApiContext, order: Submission): Promise<Answer> {
  const { limits, origin, api } = config
  const parts: StatementSource[] = []
  let bytes = 0
  const sink = async (part: SealedPart) => {
    bytes += part.bytes.length
    if (bytes > limits.inlineBytes) throw errors.returnOnlyTooLarge('INLINE_LIMIT_BYTES', limits.inlineBytes)
    const kept = Buffer.from(part.bytes)
    parts[part.number - 1] = { bytes: kept.length, open: async () => singleChunk(kept) }
  }
  const { requests, batchSize } = order
  const syntax = requests[0]?.parameterSyntax ?? config.parameterSyntax
  const packet = {
    requests,
    syntax,
    batchSize,
    maxPairs: limits.returnOnlyPairs,
    limitSeconds: Math.max(1, api.publishWaitSeconds),
    acceptedAt: Date.now(),
  }
  const surroundings = { originPolicy: origin, sink, signal: new AbortController().signal, onProgress: () => {} }
  await buildPacket(packet, surroundings).catch((error) => {
    const isOver = error instanceof Error && 'code' in error && error.code === 'tooManyPairs'
    throw isOver ? errors.returnOnlyTooLarge('RETURN_ONLY_MAX_PAIRS', limits.returnOnlyPairs) : error
  })
  return { kind: 'publish', response: publishResponse(statementFields(parts)) }
}

async function* singleChunk(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}
