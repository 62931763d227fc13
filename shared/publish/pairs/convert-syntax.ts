import type { ParameterSyntax } from '../../../packet/cypher/parameters.ts'

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

/**
 * Converts the parameter syntax of stored statements while their bytes stream through. Values are not parsed and
 * printed again: only the texts of a packet's statements, and of the packet nested as `postback`, change, and in them
 * only what is outside quoted identifiers. Follows the JSON byte by byte: structural characters are below 0x80, so UTF-8
 * needs no decoding. Contract 7.5; contract 5, replay syntax.
 */
export async function* convertSyntax(
  chunks: AsyncIterable<Uint8Array>,
  to: ParameterSyntax,
): AsyncGenerator<Uint8Array> {
  // The open objects and lists, each with its key in the parent: '' in a list, and for the outermost.
  const containers: { key: string; isObject: boolean }[] = []
  let key = ''
  let expectsKey = false
  let isInString = false
  let isEscaped = false
  // The current string, if it is a key or a statement's text; other strings pass through.
  let held: Buffer[] | null = null

  /** Handles a byte outside strings, including an opening quote. */
  function follow(byte: number) {
    if (byte === quote) {
      isInString = true
      const isStatement = key === 'statement' && places.includes(containers.map((one) => one.key).join('\u0000'))
      held = expectsKey || isStatement ? [] : null
    } else if (byte === colon) expectsKey = false
    else if (byte === comma) expectsKey = containers.at(-1)?.isObject === true
    else if (byte === openObject || byte === openArray) {
      containers.push({ key, isObject: byte === openObject })
      expectsKey = byte === openObject
      key = ''
    } else if (byte === closeObject || byte === closeArray) {
      key = containers.pop()?.key ?? ''
      expectsKey = false
    }
  }

  function endsString(byte: number): boolean {
    const isEnd = byte === quote && !isEscaped
    isEscaped = byte === backslash && !isEscaped
    if (isEnd) isInString = false
    return isEnd
  }

  function release(pieces: readonly Buffer[]): Buffer {
    const text = Buffer.concat(pieces)
    held = null
    if (!expectsKey) return Buffer.from(convertText(text.toString(), to))
    key = text.toString()
    return text
  }

  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const output: Buffer[] = []
    let start = 0
    for (const [at, byte] of bytes.entries()) {
      if (!isInString) {
        follow(byte)
        if (!isInString || held === null) continue
        output.push(bytes.subarray(start, at + 1))
        start = at + 1
      } else if (endsString(byte) && held !== null) {
        output.push(release([...held, bytes.subarray(start, at)]))
        start = at
      }
    }
    const rest = bytes.subarray(start)
    if (held === null) output.push(rest)
    else (held as Buffer[]).push(Buffer.from(rest)) // a copy: the chunk may be reused
    const converted = Buffer.concat(output)
    if (converted.length > 0) yield converted
  }
}
