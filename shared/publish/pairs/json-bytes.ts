const startBytes = 64 * 1024
const keptBytes = 1024 * 1024

const [quote, backslash, comma, open, close] = [...'"\\,[]'].map((character) => character.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]
const [space, tilde] = [' '.charCodeAt(0), '~'.charCodeAt(0)] as const

// Up to this length, a loop here is faster than a call into Node.
const shortLength = 48

/** Writes the UTF-8 of one pair, value by value, into a buffer that is reused for the next. */
export class PairBytes {
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

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Writes text unchanged. */
  text(text: string): void {
    this.#reserve(text.length * 3)
    if (text.length > shortLength || !this.#ascii(text, this.#length))
      this.#length += this.#bytes.write(text, this.#length)
  }

  /** Writes a string as JSON, exactly as `JSON.stringify` does. */
  string(value: string): void {
    this.#reserve(value.length * 3 + 2)
    const start = this.#length
    if (value.length > shortLength || !this.#ascii(value, start + 1, true)) {
      this.text(JSON.stringify(value))
      return
    }
    this.#bytes[start] = quote
    this.#bytes[this.#length++] = quote
  }

  /** Writes a list of JSON values, each with `write`. */
  list<Value>(values: readonly Value[], write: (value: Value) => void): void {
    this.#byte(open)
    for (let index = 0; index < values.length; index++) {
      if (index > 0) this.#byte(comma)
      write(values[index] as Value)
    }
    this.#byte(close)
  }

  /** Writes printable ASCII; returns false for any other text, or if it is to be quoted and needs an escape. */
  #ascii(text: string, start: number, isQuoted = false): boolean {
    const bytes = this.#bytes
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code < space || code > tilde || (isQuoted && (code === quote || code === backslash))) return false
      bytes[start + index] = code
    }
    this.#length = start + text.length
    return true
  }

  #byte(byte: number) {
    this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  #reserve(more: number) {
    const needed = this.#length + more
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}
