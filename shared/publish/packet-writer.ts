import * as errors from '../errors/catalogue.ts'
import { createPartMetadata, type PartMetadata } from './metadata.ts'
import type { Pair } from './pairs.ts'
import { PartBuffer, type PartLimits, pairText } from './part-buffer.ts'

/** A sealed part on its way to where parts go. `bytes` are valid until the sink's promise settles. */
export interface SealedPart {
  /** From 1, within its slice. */
  number: number
  bytes: Buffer
  pairs: number
}

export type PartSink = (part: SealedPart) => Promise<void>

export interface PacketWriter {
  /** Writes a pair; `note` tells the metadata of the part that took it. `about` names the node in an error. */
  write(pair: Pair, about: string, note?: (metadata: PartMetadata) => void): Promise<void>
  /** Notes something in the part that is being filled. */
  note(note: (metadata: PartMetadata) => void): void
  /** Seals the last part and waits until every part has arrived. A packet without pairs is one empty part. */
  end(): Promise<void>
  readonly pairs: number
  readonly parts: number
  readonly bytes: number
}

// One part fills while two are on their way.
const buffers = 3

/**
 * Cuts pairs into parts and hands these to `sink`, a few at a time; memory is those few parts. Contract 6.
 * @throws pairTooLarge (413), tooManyPairs (413) above `maxTotalPairs`, and whatever the sink throws.
 */
export function createPacketWriter(limits: PartLimits, maxTotalPairs: number, sink: PartSink): PacketWriter {
  const free = Array.from({ length: buffers }, () => new PartBuffer())
  const underWay = new Set<Promise<void>>()
  let part = free.pop() as PartBuffer
  let metadata = createPartMetadata()
  const written = { pairs: 0, parts: 0, bytes: 0 }

  async function deliver(): Promise<void> {
    const filled = part
    const sealed = { number: ++written.parts, bytes: filled.seal(metadata.render()), pairs: filled.pairs }
    written.bytes += sealed.bytes.length
    const delivery = sink(sealed).finally(() => {
      filled.clear()
      free.push(filled)
      underWay.delete(delivery)
    })
    underWay.add(delivery)
    delivery.catch(() => {}) // told below, or at the end: a failed part must not be an unhandled rejection meanwhile
    metadata = createPartMetadata()
    while (free.length === 0) await Promise.race(underWay)
    part = free.pop() as PartBuffer
  }

  return {
    async write(pair, about, note) {
      const text = pairText(pair)
      const textBytes = Buffer.byteLength(text)
      if (textBytes > limits.maxPairBytes) throw errors.pairTooLarge(about, limits.maxPairBytes)
      if (++written.pairs > maxTotalPairs) throw errors.tooManyPairs(maxTotalPairs)
      if (!part.hasRoom(textBytes, metadata.bytes, limits)) await deliver()
      part.add(text, textBytes)
      note?.(metadata)
    },
    note(note) {
      note(metadata)
    },
    async end() {
      if (part.pairs > 0 || written.parts === 0) await deliver()
      await Promise.all(underWay)
    },
    get pairs() {
      return written.pairs
    },
    get parts() {
      return written.parts
    },
    get bytes() {
      return written.bytes
    },
  }
}
