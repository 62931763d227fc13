import { isUtf8 } from 'node:buffer'
import type { StatementCounts, StatementKind, Topic } from '../kinds/statement.ts'
import { createShapeTally } from '../packet-shape.ts'
import { pairText, type WrittenPair } from '../pair.ts'
import { createPartMetadata, type PartMetadata } from './metadata.ts'
import { PartBuffer, type PartLimits } from './part-buffer.ts'

/** A sealed part on its way to the sink. `bytes` are valid until the sink's promise settles. */
export interface SealedPart {
  /** From 1, within its slice. */
  number: number
  bytes: Buffer
  pairs: number
  /** Counts its pairs by kind, and the statements of its postback packet, which are not among the pairs. */
  statements: StatementCounts
}

export type PartSink = (part: SealedPart) => Promise<void>

/** Receives each pair when a part takes it: its bytes without its metadata, valid until this returns. */
export type OnPair = (bytes: Buffer, kind: StatementKind, description: Description) => void

type MetadataUpdate = (metadata: PartMetadata) => void
/** Names the element of a pair, in an error. */
type Description = string | (() => string)

/** Makes the errors of a packet that cannot be written. */
export interface PacketErrors {
  pairTooLarge(what: string, limitBytes: number): Error
  tooManyPairs(limit: number): Error
  notUtf8(): Error
}

interface PacketWriterOptions {
  limits: PartLimits
  /** Limit of the whole packet. */
  maxPairs: number
  errors: PacketErrors
  sink: PartSink
  onPair?: OnPair | undefined
  /** Told of each pair, by its bytes without metadata: whether the target has it already, so that it is left out. */
  isKnown?: ((bytes: Buffer, topic: Topic) => boolean) | undefined
}

// One part fills while two are being delivered.
const buffers = 3

// A pair adds far less metadata than this; only near the limit is the exact size computed.
const metadataBytesAtMost = (textBytes: number) => 4 * textBytes + 2 * 1024 * 1024

/**
 * Splits pairs into parts and passes them to `sink`, a few at a time; memory holds only these few parts. Contract 6.
 * @throws the errors that `errors` makes, and what the sink throws.
 */
export function createPacketWriter({ limits, maxPairs, errors, sink, onPair, isKnown }: PacketWriterOptions) {
  const free: PartBuffer[] = []
  const underWay = new Set<Promise<void>>()
  let part = new PartBuffer()
  let metadata = createPartMetadata()
  let statements: StatementCounts = {}
  const tally = createShapeTally()
  const written = { pairs: 0, parts: 0, bytes: 0 }
  let made = 0
  let failure: { error: unknown } | null = null

  function hasRoom(textBytes: number, update: MetadataUpdate | undefined): boolean {
    if (part.hasRoom(textBytes, metadata.bytes + metadataBytesAtMost(textBytes), limits)) return true
    const added = createPartMetadata()
    update?.(added)
    return part.hasRoom(textBytes, metadata.bytes + added.bytes, limits)
  }

  function throwFailure() {
    if (failure) throw failure.error
  }

  async function deliver(): Promise<void> {
    const filled = part
    if (metadata.postbacks > 0) statements.postback = metadata.postbacks
    const bytes = filled.seal(metadata.render())
    // The strings are copies of what the origin sent, and no database sends anything but UTF-8.
    if (!isUtf8(bytes)) throw errors.notUtf8()
    const sealed = { number: ++written.parts, bytes, pairs: filled.pairs, statements }
    written.bytes += sealed.bytes.length
    const delivery = sink(sealed)
      .catch((error) => {
        // Record this before the delivery leaves `underWay`: a failed delivery must never go unnoticed.
        failure ??= { error }
      })
      .finally(() => {
        filled.clear()
        free.push(filled)
        underWay.delete(delivery)
      })
    underWay.add(delivery)
    metadata = createPartMetadata()
    statements = {}
    // A further buffer is made only if the store is slower than the origin.
    while (free.length === 0 && underWay.size === buffers) await Promise.race(underWay)
    throwFailure()
    part = free.pop() ?? new PartBuffer()
  }

  /** Like `write`, for a pair's bytes, which it copies before it returns. Await the promise, if it returns one. */
  function add(
    bytes: Buffer,
    topic: Topic,
    description: Description,
    update?: MetadataUpdate,
    elements = 1,
  ): Promise<void> | undefined {
    if (bytes.length > limits.maxPairBytes) {
      throw errors.pairTooLarge(typeof description === 'string' ? description : description(), limits.maxPairBytes)
    }
    if (++made > maxPairs) throw errors.tooManyPairs(maxPairs)
    if (isKnown?.(bytes, topic)) return undefined
    written.pairs++
    tally.add(topic, elements)
    if (hasRoom(bytes.length, update)) {
      put(bytes, topic, description, update)
      return undefined
    }
    // Copy now: while the part is delivered, another build of this process may write its own pairs into this memory.
    const own = Buffer.from(bytes)
    return deliver().then(() => put(own, topic, description, update))
  }

  function put(bytes: Buffer, { kind }: Topic, description: Description, update?: MetadataUpdate): void {
    part.add(bytes)
    onPair?.(bytes, kind, description)
    statements[kind] = (statements[kind] ?? 0) + 1
    update?.(metadata)
  }

  return {
    /** Writes a pair about a number of `elements`. `update` changes the metadata of the part that takes it. */
    async write(
      pair: WrittenPair,
      description: Description,
      update?: MetadataUpdate,
      elements?: number,
    ): Promise<void> {
      await add(Buffer.from(pairText(pair)), pair.shape.topic, description, update, elements)
    },
    add,
    /** What the pairs are about. */
    shape: tally.read,
    /** Updates the metadata of the part being filled. A packet without pairs discards it. */
    updateMetadata(update: MetadataUpdate): void {
      update(metadata)
    },
    /**
     * Seals the last part and waits until all parts are delivered. A packet without pairs has one empty part, unless
     * `evenIfEmpty` is false.
     */
    async end({ evenIfEmpty = true } = {}): Promise<void> {
      if (part.pairs > 0 || (evenIfEmpty && written.parts === 0)) await deliver()
      await Promise.all(underWay)
      throwFailure()
      for (const buffer of [part, ...free]) buffer.release()
    },
    /** Waits until all deliveries end, successful or not. Call this after an error, before discarding delivered parts. */
    async settle(): Promise<void> {
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

export type PacketWriter = ReturnType<typeof createPacketWriter>
