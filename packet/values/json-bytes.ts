import type { Cursor } from '../packstream/cursor.ts'
import { elementKind, isList, type Kind, kind } from '../packstream/kinds.ts'
import { textOfValue } from './value-text.ts'
import type { Numbers } from './values.ts'

/** Thrown before the memory is allocated. A value of few bytes may be much longer as JSON. */
export class JsonTooLarge extends Error {
  readonly limitBytes = mostBytes
}

/**
 * Bytes of a pair while the service makes it, more than a pair may have. Beyond this limit the publish fails with
 * `413 pairTooLarge`.
 */
const mostBytes = 64 * 1024 * 1024
const startBytes = 64 * 1024
const keptBytes = 1024 * 1024

const [quote, backslash, comma, open, close] = [0x22, 0x5c, 0x2c, 0x5b, 0x5d]
const space = 0x20

// Up to this length, a loop here is faster than a call into Node.
const shortLength = 48

/**
 * Writes pairs as UTF-8 into a buffer that is reused for the next pair. Makes the JSON of a value from the bytes that
 * the origin sent. Contract 5, values.
 */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(startBytes)
  #length = 0

  clear(): void {
    this.#length = 0
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafe(startBytes)
  }

  /** Valid until `clear` is called. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Writes bytes unchanged. */
  raw(bytes: Uint8Array): void {
    this.#copy(bytes, 0, bytes.length)
  }

  /** Writes text unchanged. */
  text(text: string): void {
    this.#reserve(text.length > shortLength ? Buffer.byteLength(text) : text.length * 3)
    const bytes = this.#bytes
    let at = this.#length
    if (text.length <= shortLength) {
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index)
        if (code >= 0x80) {
          at = -1
          break
        }
        bytes[at++] = code
      }
    } else at = -1
    this.#length = at === -1 ? this.#length + bytes.write(text, this.#length) : at
  }

  /** Writes the next value, which is of this kind and publishable, as JSON, and moves past it. */
  value(cursor: Cursor, of: Kind, numbers: Numbers): void {
    if (isList(of)) this.#list(cursor, elementKind(of), numbers)
    else this.#scalar(cursor, of, numbers, false)
  }

  #list(cursor: Cursor, of: Kind, numbers: Numbers): void {
    const count = cursor.list()
    this.#byte(open)
    for (let index = 0; index < count; index++) {
      if (index > 0) this.#byte(comma)
      this.#scalar(cursor, of, numbers, numbers === 'strict')
    }
    this.#byte(close)
  }

  /** `allByFields`: the value is in a list of times or datetimes, and all must be given by fields if one must. */
  #scalar(cursor: Cursor, of: Kind, numbers: Numbers, allByFields: boolean): void {
    if (of === kind.string) this.#string(cursor)
    else if (of === kind.safeInteger) this.#integer(cursor.integer())
    else this.text(textOfValue(cursor, of, numbers, allByFields))
  }

  /** Writes a string exactly as `JSON.stringify` does. */
  #string(cursor: Cursor): void {
    const size = cursor.string()
    const { bytes: from, at: end } = cursor
    this.#reserve(size + 2)
    this.#bytes[this.#length++] = quote
    let start = end - size
    for (let at = start; at < end; at++) {
      const byte = from[at] as number
      if (byte >= space && byte !== quote && byte !== backslash) continue
      this.#copy(from, start, at)
      this.text(JSON.stringify(String.fromCharCode(byte)).slice(1, -1))
      start = at + 1
    }
    this.#copy(from, start, end)
    this.#byte(quote)
  }

  #integer(value: number): void {
    if (value < 0 || value > 0x7fffffff) {
      this.text(String(value))
      return
    }
    this.#reserve(10)
    let digits = 1
    for (let limit = 10; value >= limit && digits < 10; limit *= 10) digits++
    const bytes = this.#bytes
    let rest = value
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0
      bytes[at] = 0x30 + rest - tenth * 10
      rest = tenth
    }
    this.#length += digits
  }

  #byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    const size = end - start
    this.#reserve(size)
    const bytes = this.#bytes
    const to = this.#length
    if (size <= shortLength) for (let at = 0; at < size; at++) bytes[to + at] = from[start + at] as number
    else bytes.set(from.subarray(start, end), to)
    this.#length = to + size
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    if (needed > mostBytes) throw new JsonTooLarge()
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(mostBytes, this.#bytes.length * 2)))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
