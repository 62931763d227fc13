import * as errors from '../errors/catalogue.ts'

/** PackStream markers that stand for one thing each. */
export const marker = {
  null: 0xc0,
  float: 0xc1,
  false: 0xc2,
  true: 0xc3,
  int8: 0xc8,
  int16: 0xc9,
  int32: 0xca,
  int64: 0xcb,
  bytes8: 0xcc,
  bytes16: 0xcd,
  bytes32: 0xce,
  string8: 0xd0,
  string16: 0xd1,
  string32: 0xd2,
  list8: 0xd4,
  list16: 0xd5,
  list32: 0xd6,
  map8: 0xd8,
  map16: 0xd9,
  map32: 0xda,
  uuid: 0xe0,
} as const

/** The value that begins with this byte is a small integer. */
export const isTinyInteger = (first: number): boolean => first < 0x80 || first >= 0xf0

const twoTo32 = 2 ** 32

/**
 * Reads PackStream, the binary format of Bolt, in one record at a time. It moves forward, never past the end of its
 * record, and takes time proportional to the bytes that it passes.
 * @throws originBroke (502), in every method, if the bytes are not PackStream or not of the type that is read.
 */
export class Cursor {
  bytes: Buffer = Buffer.alloc(0)
  /** Offset of the next value. */
  at = 0
  /** Offset after the record. */
  end = 0

  open(bytes: Buffer, at: number, end: number): this {
    this.bytes = bytes
    this.at = at
    this.end = end
    return this
  }

  /** Moves to the first field of a record. @returns the number of fields */
  openRecord(bytes: Buffer, at: number, end: number): number {
    this.open(bytes, at + 2, end)
    return this.list()
  }

  /** The byte that determines the type of the next value. */
  peek(): number {
    if (this.at >= this.end) throw malformed('a record ends too early')
    return this.bytes[this.at] as number
  }

  passNull(): boolean {
    if (this.peek() !== marker.null) return false
    this.at++
    return true
  }

  /** @returns the number of elements, which follow */
  list(): number {
    const first = this.peek()
    if (first >= 0x90 && first < 0xa0) return this.#count(first & 0x0f, 0)
    if (first >= marker.list8 && first <= marker.list32) return this.#count(0, 1 << (first - marker.list8))
    throw malformed('a value is not a list')
  }

  /** @returns the number of entries, which follow: a string and a value each */
  map(): number {
    const first = this.peek()
    if (first >= 0xa0 && first < 0xb0) return this.#count(first & 0x0f, 0)
    if (first >= marker.map8 && first <= marker.map32) return this.#count(0, 1 << (first - marker.map8))
    throw malformed('a value is not a map')
  }

  /** Moves into a structure. @returns its tag; `fields` values follow. */
  structure(fields: number): number {
    const tag = this.bytes[this.at + 1] as number
    if (this.peek() !== (0xb0 | fields)) throw malformed('a structure has another size')
    this.#advance(2)
    return tag
  }

  /** Moves past a string. @returns the number of its bytes, which end at `at` */
  string(): number {
    const first = this.peek()
    let size: number
    if (first >= 0x80 && first < 0x90) {
      size = first & 0x0f
      this.at++
    } else if (first >= marker.string8 && first <= marker.string32) {
      size = this.#count(0, 1 << (first - marker.string8))
    } else throw malformed('a value is not a string')
    this.#advance(size)
    return size
  }

  /** Reads a string. Invalid UTF-8 becomes U+FFFD. */
  text(): string {
    const size = this.string()
    return this.bytes.toString('utf8', this.at - size, this.at)
  }

  /** Reads an integer as a number; beyond 2^53 it is rounded. */
  integer(): number {
    const first = this.peek()
    const { bytes, at } = this
    if (isTinyInteger(first)) {
      this.at++
      return first < 0x80 ? first : first - 0x100
    }
    switch (first) {
      case marker.int8:
        this.#advance(2)
        return bytes.readInt8(at + 1)
      case marker.int16:
        this.#advance(3)
        return bytes.readInt16BE(at + 1)
      case marker.int32:
        this.#advance(5)
        return bytes.readInt32BE(at + 1)
      case marker.int64:
        this.#advance(9)
        return bytes.readInt32BE(at + 1) * twoTo32 + bytes.readUInt32BE(at + 5)
      default:
        throw malformed('a value is not an integer')
    }
  }

  /** Reads an integer exactly: as a number if it is a safe integer, otherwise as a bigint. */
  whole(): number | bigint {
    const { at } = this
    const value = this.integer()
    return Number.isSafeInteger(value) ? value : this.bytes.readBigInt64BE(at + 1)
  }

  /** Reads an integer exactly. */
  bigint(): bigint {
    if (this.peek() !== marker.int64) return BigInt(this.integer())
    this.#advance(9)
    return this.bytes.readBigInt64BE(this.at - 8)
  }

  float(): number {
    if (this.peek() !== marker.float) throw malformed('a value is not a float')
    this.#advance(9)
    return this.bytes.readDoubleBE(this.at - 8)
  }

  boolean(): boolean {
    const first = this.peek()
    if (first !== marker.true && first !== marker.false) throw malformed('a value is not a boolean')
    this.at++
    return first === marker.true
  }

  /** Moves past any value, however deeply it is nested. @returns the number of values in it, including itself */
  skip(): number {
    let values = 0
    for (let pending = 1; pending > 0; pending--) {
      pending += this.#skipHead()
      values++
    }
    return values
  }

  /** Moves past a value, or to the first value inside a list, map or structure. @returns the number of values inside */
  #skipHead(): number {
    const first = this.peek()
    if (isTinyInteger(first)) {
      this.at++
      return 0
    }
    if (first < 0x90) return this.#pass(1 + (first & 0x0f))
    if (first < 0xa0) return this.#count(first & 0x0f, 0)
    if (first < 0xb0) return 2 * this.#count(first & 0x0f, 0)
    if (first < 0xc0) {
      this.#advance(2)
      return first & 0x0f
    }
    switch (first) {
      case marker.null:
      case marker.false:
      case marker.true:
        return this.#pass(1)
      case marker.int8:
      case marker.int16:
      case marker.int32:
        return this.#pass(1 + (1 << (first - marker.int8)))
      case marker.float:
      case marker.int64:
        return this.#pass(9)
      case marker.uuid:
        return this.#pass(17)
      case marker.bytes8:
      case marker.bytes16:
      case marker.bytes32:
        return this.#pass(this.#count(0, 1 << (first - marker.bytes8)))
      case marker.string8:
      case marker.string16:
      case marker.string32:
        return this.#pass(this.#count(0, 1 << (first - marker.string8)))
      case marker.list8:
      case marker.list16:
      case marker.list32:
        return this.#count(0, 1 << (first - marker.list8))
      case marker.map8:
      case marker.map16:
      case marker.map32:
        return 2 * this.#count(0, 1 << (first - marker.map8))
      default:
        throw malformed(`no value begins with the byte ${first}`)
    }
  }

  /** Moves past the marker and the size that follows it in `width` bytes. @returns the size; `tiny` if width is 0 */
  #count(tiny: number, width: number): number {
    const at = this.at + 1
    this.#advance(1 + width)
    if (width === 0) return tiny
    const { bytes } = this
    const size = width === 1 ? (bytes[at] as number) : width === 2 ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at)
    // Each counted item takes at least one byte.
    if (size > this.end - this.at) throw malformed('a value is larger than its record')
    return size
  }

  #pass(size: number): 0 {
    this.#advance(size)
    return 0
  }

  #advance(size: number): void {
    if (size > this.end - this.at) throw malformed('a record ends too early')
    this.at += size
  }
}

/** Neo4j sends well-formed data, so the origin is something else, or its connection is broken. */
export const malformed = (problem: string) => errors.originBroke(new Error(problem))

/** Whether these bytes stand at an offset of others. For short ones, a call into Node costs more. */
export function isAt(these: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < these.length; at++) if (these[at] !== bytes[start + at]) return false
  return true
}
