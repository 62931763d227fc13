import { pairEnd } from '../pair.ts'

/** Seed, Limits; contract 6. Sizes are bytes of the JSON, before any compression. */
export interface PartLimits {
  maxPairs: number
  /** A part is closed before it exceeds this, unless a single pair does. */
  maxBytes: number
  /** No single pair may be larger. */
  maxPairBytes: number
}

/**
 * Pairs in a part, and the largest `batchsize`. Beyond this limit the next part begins; a larger `batchsize` is
 * `400 invalidRequest`.
 */
export const maxPairsPerPart = 5_000

export const partLimits = (maxPairs: number): PartLimits => ({
  maxPairs,
  /** Bytes of a part. Beyond this limit the next part begins, unless the part has one pair. */
  maxBytes: 32 * 1024 * 1024,
  /** Bytes of a pair. Beyond this limit the publish fails with `413 pairTooLarge`. */
  maxPairBytes: 60 * 1024 * 1024,
})

const head = '{"statements":['
const tail = ']}'
const separator = Buffer.from(`${pairEnd(null)},`)
const startBytes = 1024 * 1024

// Allocating large buffers triggers garbage collections of the whole heap, so a few are kept.
const spare: Buffer[] = []
const sparesAtMost = 4
const largestSpareBytes = 8 * 1024 * 1024

/** The only part of a packet without pairs. */
export const emptyPart = Buffer.from(head + tail)

/**
 * One part being filled: pairs as UTF-8 in one buffer, `{"statements":[…]}` when sealed. Only the last pair has
 * metadata; all others have null. The buffer is reused after `clear`, so a packet costs the memory of a part.
 */
export class PartBuffer {
  #bytes = spare.pop() ?? Buffer.allocUnsafe(startBytes)
  #length = 0
  pairs = 0

  constructor() {
    this.clear()
  }

  clear(): void {
    this.#length = this.#bytes.write(head)
    this.pairs = 0
  }

  /** Returns its memory for the next packet's parts. Neither this buffer nor a sealed part may be used afterwards. */
  release(): void {
    if (spare.length < sparesAtMost && this.#bytes.length <= largestSpareBytes) spare.push(this.#bytes)
    this.#bytes = Buffer.alloc(0)
  }

  /** Whether the sealed part would stay within the limits with this text and metadata. An empty part takes any pair. */
  hasRoom(textBytes: number, metadataBytes: number, { maxPairs, maxBytes }: PartLimits): boolean {
    if (this.pairs === 0) return true
    const sealed = this.#length + separator.length + textBytes + metadataBytes + 1 + tail.length
    return this.pairs < maxPairs && sealed <= maxBytes
  }

  add(pair: Buffer): void {
    this.#reserve(pair.length + separator.length)
    if (this.pairs > 0) this.#copy(separator)
    this.#copy(pair)
    this.pairs++
  }

  /** Returns the finished part: the buffer's own bytes, valid until it is cleared. */
  seal(metadata: string): Buffer {
    const closing = this.pairs > 0 ? `${pairEnd(metadata)}${tail}` : tail
    this.#reserve(Buffer.byteLength(closing))
    this.#write(closing)
    return this.#bytes.subarray(0, this.#length)
  }

  #write(text: string) {
    this.#length += this.#bytes.write(text, this.#length)
  }

  #copy(bytes: Buffer) {
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #reserve(more: number) {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(
      Math.max(needed, Math.min(this.#bytes.length * 2, this.#bytes.length + 8 * startBytes)),
    )
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
