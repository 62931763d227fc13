import type { ParameterSyntax } from '../../packet/cypher/parameters.ts'

/**
 * Converts the parameter syntax of stored statements while their bytes stream through. Values are not parsed and
 * printed again: only the texts of a packet's statements, and of the packet nested as `postback`, change, and in them
 * only what is outside quoted identifiers. Contract 7.5; contract 5, replay syntax.
 */
export async function* convertSyntax(
  chunks: AsyncIterable<Uint8Array>,
  to: ParameterSyntax,
): AsyncGenerator<Uint8Array> {
  const converter = new StatementConverter(to)
  for await (const chunk of chunks) {
    const converted = converter.push(chunk)
    if (converted.length > 0) yield converted
  }
}

/** Converts a statement's text as it is in JSON: identifiers are always in backticks, with inner ones doubled. */
export function convertText(text: string, to: ParameterSyntax): string {
  const outside = (part: string) =>
    to === 'dollar'
      ? part.replace(/\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name) => `$${name}`)
      : part.replace(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_, name) => `{${name}}`)
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? outside(part) : part))
    .join('`')
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openObject, openArray, closeObject, closeArray] = [0x7b, 0x5b, 0x7d, 0x5d]

/** Paths of keys to statement texts: in the packet itself, and in the packet nested in its metadata. */
const places = [
  ['', 'statements', ''],
  ['', 'statements', '', 'metadata', 'postback', 'statements', ''],
].map((keys) => keys.join('\u0000'))

interface Container {
  /** Its key in the parent; '' in a list, and for the outermost container. */
  key: string
  isObject: boolean
}

/** Tracks JSON structure byte by byte: structural characters are below 0x80, so UTF-8 needs no decoding. */
class StatementConverter {
  readonly #to: ParameterSyntax
  readonly #containers: Container[] = []
  #key = ''
  #expectsKey = false
  #isInString = false
  #isEscaped = false
  /** The current string, if it is a key or a statement's text; other strings pass through. */
  #held: Buffer[] | null = null

  constructor(to: ParameterSyntax) {
    this.#to = to
  }

  push(chunk: Uint8Array): Buffer {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const output: Buffer[] = []
    let start = 0
    for (const [at, byte] of bytes.entries()) {
      if (!this.#isInString) {
        this.#follow(byte)
        if (!this.#isInString || this.#held === null) continue
        output.push(bytes.subarray(start, at + 1))
        start = at + 1
      } else if (this.#endsString(byte) && this.#held !== null) {
        this.#held.push(bytes.subarray(start, at))
        output.push(this.#release(Buffer.concat(this.#held)))
        start = at
      }
    }
    const rest = bytes.subarray(start)
    if (this.#held === null) output.push(rest)
    else this.#held.push(Buffer.from(rest)) // a copy: the chunk may be reused
    return Buffer.concat(output)
  }

  /** Handles a byte outside strings, including an opening quote. */
  #follow(byte: number) {
    if (byte === quote) {
      this.#isInString = true
      const isStatement =
        this.#key === 'statement' && places.includes(this.#containers.map(({ key }) => key).join('\u0000'))
      this.#held = this.#expectsKey || isStatement ? [] : null
    } else if (byte === colon) this.#expectsKey = false
    else if (byte === comma) this.#expectsKey = this.#containers.at(-1)?.isObject === true
    else if (byte === openObject || byte === openArray) {
      this.#containers.push({ key: this.#key, isObject: byte === openObject })
      this.#expectsKey = byte === openObject
      this.#key = ''
    } else if (byte === closeObject || byte === closeArray) {
      this.#key = this.#containers.pop()?.key ?? ''
      this.#expectsKey = false
    }
  }

  #endsString(byte: number): boolean {
    const isEnd = byte === quote && !this.#isEscaped
    this.#isEscaped = byte === backslash && !this.#isEscaped
    if (isEnd) this.#isInString = false
    return isEnd
  }

  #release(text: Buffer): Buffer {
    this.#held = null
    if (!this.#expectsKey) return Buffer.from(convertText(text.toString(), this.#to))
    this.#key = text.toString()
    return text
  }
}
