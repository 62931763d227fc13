/** Types of values. Those that have a size or a number after their first byte have several first bytes. */
export const type = {
  tinyInteger: 1,
  integer: 2,
  float: 3,
  null: 4,
  boolean: 5,
  string: 6,
  bytes: 7,
  list: 8,
  map: 9,
  structure: 10,
  uuid: 11,
} as const

/** First bytes that the code compares with. */
export const marker = { false: 0xc2, true: 0xc3, int8: 0xc8, int16: 0xc9, int32: 0xca, int64: 0xcb } as const

/** The type of a value by its first byte; 0 if no value begins with it. */
export const types = new Uint8Array(256)
types.fill(type.tinyInteger, 0x00, 0x80).fill(type.tinyInteger, 0xf0)
types.fill(type.string, 0x80, 0x90).fill(type.string, 0xd0, 0xd3)
types.fill(type.list, 0x90, 0xa0).fill(type.list, 0xd4, 0xd7)
types.fill(type.map, 0xa0, 0xb0).fill(type.map, 0xd8, 0xdb)
types.fill(type.structure, 0xb0, 0xc0)
types.fill(type.null, 0xc0, 0xc1).fill(type.float, 0xc1, 0xc2).fill(type.boolean, 0xc2, 0xc4)
types.fill(type.integer, 0xc8, 0xcc).fill(type.bytes, 0xcc, 0xcf).fill(type.uuid, 0xe0, 0xe1)

const twoTo32 = 2 ** 32

/** Who sent the bytes. */
export interface Peer {
  /** The error about bytes that are not what they must be. */
  malformed(problem: string): Error
  /** For whom they are read, where tenants share a limit of the process. */
  tenant(): string
}

/**
 * Reads PackStream, the binary format of Bolt, in one record at a time. It moves forward, never past the end of its
 * record, and takes time proportional to the bytes that it passes.
 * @throws the error of `peer.malformed`, in every method, if the bytes are not PackStream or not of the type that is
 * read.
 */
export class Cursor {
  readonly peer: Peer
  bytes: Buffer = Buffer.alloc(0)
  /** Offset of the next value. */
  at = 0
  /** Offset after the record. */
  end = 0

  constructor(peer: Peer) {
    this.peer = peer
  }

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
    if (this.at >= this.end) throw this.peer.malformed('a record ends too early')
    return this.bytes[this.at] as number
  }

  /** Call this after the last field: a record with more in it has other fields than were asked for. */
  endRecord(): void {
    if (this.at !== this.end) throw this.peer.malformed('a record is longer than its fields')
  }

  passNull(): boolean {
    if (types[this.peek()] !== type.null) return false
    this.at++
    return true
  }

  /** @returns the number of elements, which follow */
  list(): number {
    return this.#count(this.#first(type.list, 'list'))
  }

  /** @returns the number of entries, which follow: a string and a value each */
  map(): number {
    return this.#count(this.#first(type.map, 'map'))
  }

  /** Moves into a structure. @returns its tag; `fields` values follow. */
  structure(fields: number): number {
    const tag = this.bytes[this.at + 1] as number
    if (this.peek() !== (0xb0 | fields)) throw this.peer.malformed('a structure has another size')
    this.#advance(2)
    return tag
  }

  /** Moves past a string. @returns the number of its bytes, which end at `at` */
  string(): number {
    const first = this.peek()
    let size: number
    // Nearly all keys are short, and every property has one.
    if (first >= 0x80 && first < 0x90) {
      size = first & 0x0f
      this.at++
    } else size = this.#count(this.#first(type.string, 'string'))
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
    if (types[first] === type.tinyInteger) {
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
        throw this.peer.malformed('a value is not an integer')
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
    this.#first(type.float, 'float')
    this.#advance(9)
    return this.bytes.readDoubleBE(this.at - 8)
  }

  boolean(): boolean {
    const first = this.#first(type.boolean, 'boolean')
    this.at++
    return first === marker.true
  }

  /** Moves past a byte array. @returns its bytes, which the next record overwrites */
  binary(): Buffer {
    const size = this.#count(this.#first(type.bytes, 'byte array'))
    this.#advance(size)
    return this.bytes.subarray(this.at - size, this.at)
  }

  /** Moves past a UUID. @returns its 16 bytes, which the next record overwrites */
  uuid(): Buffer {
    this.#first(type.uuid, 'UUID')
    this.#advance(17)
    return this.bytes.subarray(this.at - 16, this.at)
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
    switch (types[first]) {
      case type.tinyInteger:
      case type.null:
      case type.boolean:
        return this.#pass(1)
      case type.integer:
        return this.#pass(1 + (1 << (first & 3)))
      case type.float:
        return this.#pass(9)
      case type.uuid:
        return this.#pass(17)
      case type.string:
      case type.bytes:
        return this.#pass(this.#count(first))
      case type.list:
        return this.#count(first)
      case type.map:
        return 2 * this.#count(first)
      case type.structure:
        this.#advance(2)
        return first & 0x0f
      default:
        throw this.peer.malformed(`no value begins with the byte ${first}`)
    }
  }

  #first(expected: number, name: string): number {
    const first = this.peek()
    if (types[first] !== expected) throw this.peer.malformed(`a value is not a ${name}`)
    return first
  }

  /** Moves past the first byte, and the size if it follows. @returns the size */
  #count(first: number): number {
    if (first < 0xc0) {
      this.at += 1
      return first & 0x0f
    }
    return this.#countAfter(first)
  }

  #countAfter(first: number): number {
    const width = 1 << (first & 3)
    const at = this.at + 1
    this.#advance(1 + width)
    const { bytes } = this
    const size = width === 1 ? (bytes[at] as number) : width === 2 ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at)
    // Each counted item takes at least one byte.
    if (size > this.end - this.at) throw this.peer.malformed('a value is larger than its record')
    return size
  }

  #pass(size: number): 0 {
    this.#advance(size)
    return 0
  }

  #advance(size: number): void {
    if (size > this.end - this.at) throw this.peer.malformed('a record ends too early')
    this.at += size
  }
}

/** Whether these bytes stand at an offset of others. For short ones, a call into Node costs more. */
export function isAt(these: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < these.length; at++) if (these[at] !== bytes[start + at]) return false
  return true
}
