import type { StatementKind } from '../../packet/kinds/statement.ts'
import { pairText, type WrittenPair } from '../../packet/pair.ts'
import { createPacketWriter, type PacketWriter } from '../../packet/parts/packet-writer.ts'
import type { PartLimits } from '../../packet/parts/part-buffer.ts'
import { packetErrors } from '../../shared/publish/pairs/packet-errors.ts'

export const topicOf = (kind: StatementKind) => ({ kind, label: 'L' })

/** A pair with one parameter. */
export const pairOf = (value: unknown): WrittenPair => ({
  shape: { topic: topicOf('nodeUpsert'), statement: '"RETURN {p}"' },
  parameters: `"p":${JSON.stringify(value)}`,
})

/** A pair whose text has the given size. */
export const pairOfBytes = (bytes: number): WrittenPair =>
  pairOf('x'.repeat(bytes - Buffer.byteLength(pairText(pairOf('')))))

/** A sealed part, copied when its sink was called. */
export interface Delivered {
  number: number
  pairs: number
  text: string
  bytes: number
}

/** A packet writer that collects its parts. */
export function collectingWriter(
  limits: Partial<PartLimits>,
  maxTotalPairs = 100_000,
): { writer: PacketWriter; parts: Delivered[] } {
  const parts: Delivered[] = []
  const generous = { maxPairs: 5_000, maxBytes: 1_000_000, maxPairBytes: 2_000_000 }
  const writer = createPacketWriter({
    limits: { ...generous, ...limits },
    maxPairs: maxTotalPairs,
    errors: packetErrors,
    sink: async ({ number, pairs, bytes }) => {
      parts.push({ number, pairs, text: bytes.toString(), bytes: bytes.length })
    },
  })
  return { writer, parts }
}
