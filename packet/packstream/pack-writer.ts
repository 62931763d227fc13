const startBytes = 64 * 1024
const keptBytes = 4 * 1024 * 1024

// Up to this length, a loop here is faster than a call into Node.
const shortLength = 48

/** A marker of PackStream, whose three sizes follow one another: for 8, 16 and 32 bits. */
type SizedMarker = 0xd0 | 0xd4 | 0xd8

/** Writes values of pairs in PackStream, byte for byte as the driver does, into memory that is used again. */
export class PackWriter {
  #bytes = Buffer.allocUnsafe(startBytes)
  #at = 0

  clear(): void {
    this.#at = 0
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafe(startBytes)
  }

  /** Bytes written. */
  get size(): number {
    return this.#at
  }

  /** Valid until `clear` is called. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  /** Writes what a parameter of a pair may be: a bigint is an integer, a number is a float. */
  value(value: unknown): void {
    if (typeof value === 'string') this.#string(value)
    else if (typeof value === 'bigint') this.#integer(value)
    else if (typeof value === 'number') this.#float(value)
    else if (typeof value === 'boolean') this.#byte(value ? 0xc3 : 0xc2)
    else if (Array.isArray(value)) this.#list(value)
    else if (value === null || value === undefined) this.#byte(0xc0)
    else if (typeof value === 'object') this.#map(value)
    else throw new TypeError(`a ${typeof value} is no value of a pair`)
  }

  /** Begins a list of so many values, which follow. */
  list(size: number): void {
    this.#head(0x90, 0xd4, size)
  }

  /** Copies what was packed before. */
  packed(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from)
    this.#at += bytes.copy(this.#bytes, this.#at, from, to)
  }

  #list(elements: readonly unknown[]): void {
    this.list(elements.length)
    for (const element of elements) this.value(element)
  }

  #map(map: object): void {
    const entries = Object.entries(map)
    this.#head(0xa0, 0xd8, entries.length)
    for (const [key, value] of entries) {
      this.#string(key)
      this.value(value)
    }
  }

  #string(text: string): void {
    if (text.length <= shortLength && this.#ascii(text)) return
    const size = Buffer.byteLength(text)
    this.#head(0x80, 0xd0, size)
    this.#reserve(size)
    this.#at += this.#bytes.write(text, this.#at)
  }

  /** Writes a short text, unless it has characters beyond ASCII. @returns whether it did */
  #ascii(text: string): boolean {
    const start = this.#at
    this.#head(0x80, 0xd0, text.length)
    this.#reserve(text.length)
    const bytes = this.#bytes
    const to = this.#at
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code >= 0x80) {
        this.#at = start
        return false
      }
      bytes[to + index] = code
    }
    this.#at = to + text.length
    return true
  }

  #integer(value: bigint): void {
    this.#reserve(9)
    const bytes = this.#bytes
    // Not exact beyond 53 bits, but then far from the limits below.
    const number = Number(value)
    if (number >= -0x10 && number < 0x80) this.#at = bytes.writeInt8(number, this.#at)
    else if (number >= -0x80 && number < 0x80) this.#at = bytes.writeInt8(number, bytes.writeUInt8(0xc8, this.#at))
    else if (number >= -0x8000 && number < 0x8000)
      this.#at = bytes.writeInt16BE(number, bytes.writeUInt8(0xc9, this.#at))
    else if (number >= -0x80000000 && number < 0x80000000)
      this.#at = bytes.writeInt32BE(number, bytes.writeUInt8(0xca, this.#at))
    else this.#at = bytes.writeBigInt64BE(value, bytes.writeUInt8(0xcb, this.#at))
  }

  #float(value: number): void {
    this.#byte(0xc1)
    this.#reserve(8)
    this.#at = this.#bytes.writeDoubleBE(value, this.#at)
  }

  #head(tiny: number, marker: SizedMarker, size: number): void {
    this.#reserve(5)
    const bytes = this.#bytes
    if (size < 0x10) this.#at = bytes.writeUInt8(tiny | size, this.#at)
    else if (size < 0x100) this.#at = bytes.writeUInt8(size, bytes.writeUInt8(marker, this.#at))
    else if (size < 0x10000) this.#at = bytes.writeUInt16BE(size, bytes.writeUInt8(marker + 1, this.#at))
    else this.#at = bytes.writeUInt32BE(size, bytes.writeUInt8(marker + 2, this.#at))
  }

  #byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = byte
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#at + more, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
