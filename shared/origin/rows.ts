import type { Unpack } from '../../packet/packstream/decode.ts'
import type { Share } from './held-budget.ts'

const startBytes = 64 * 1024

// Allocating large buffers triggers garbage collections of the whole heap, so a few are kept.
const spare: Buffer[] = []
const sparesAtMost = 4
const largestSpareBytes = 8 * 1024 * 1024

/** Records of one result, copied from the connection that received them. The process's budget counts their memory. */
export class Rows {
  /** Decodes a single value as the driver does. */
  readonly unpack: Unpack
  readonly #share: Share
  #bytes: Buffer = Buffer.alloc(0)
  #ends = new Uint32Array(0)
  #length = 0

  constructor(share: Share, unpack: Unpack) {
    this.#share = share
    this.unpack = unpack
  }

  /** Number of records. */
  get length(): number {
    return this.#length
  }

  /** The records, one after the other. Each `add` may replace this buffer. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Offset of a record. */
  start(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number)
  }

  /** Offset after a record. */
  end(index: number): number {
    return this.#ends[index] as number
  }

  /** Appends a copy of a record. @returns its offset */
  add(record: Uint8Array): number {
    const start = this.#length === 0 ? 0 : this.end(this.#length - 1)
    const end = start + record.length
    if (end > this.#bytes.length) this.#enlarge(end)
    if (this.#length === this.#ends.length) {
      const larger = new Uint32Array(Math.max(64, 2 * this.#length))
      larger.set(this.#ends)
      this.#ends = larger
    }
    this.#bytes.set(record, start)
    this.#ends[this.#length++] = end
    return start
  }

  /** Frees the memory: nothing that was read from it may be used afterwards. */
  release(): void {
    this.#share.change(-this.#bytes.length)
    if (spare.length < sparesAtMost && this.#bytes.length <= largestSpareBytes && this.#bytes.length > 0)
      spare.push(this.#bytes)
    this.#bytes = Buffer.alloc(0)
    this.#ends = new Uint32Array(0)
    this.#length = 0
  }

  #enlarge(needed: number): void {
    const before = this.#bytes
    const found = before.length === 0 ? spare.findIndex(({ length }) => length >= needed) : -1
    const [kept] = found === -1 ? [] : spare.splice(found, 1)
    this.#bytes = kept ?? Buffer.allocUnsafeSlow(Math.max(startBytes, needed, 2 * before.length))
    before.copy(this.#bytes)
    this.#share.change(this.#bytes.length - before.length)
  }
}
