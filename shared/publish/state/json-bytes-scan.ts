const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

const shortBytes = 40

/** Where the JSON string that begins at `at` ends: the position after its closing quote. */
export function afterString(bytes: Buffer, at: number): number {
  // Most strings are short, and a search by the engine costs more than to look at them here.
  const most = Math.min(at + shortBytes, bytes.length)
  for (let end = at + 1; end < most; end++) {
    if (bytes[end] === quote) return end + 1
    if (bytes[end] === backslash) break
  }
  for (let end = bytes.indexOf(quote, at + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let first = end
    while (bytes[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end + 1
  }
  throw new Error('a JSON string does not end')
}

/** Where the JSON value that begins at `at` ends. The JSON has no spaces between its tokens, as in every pair. */
export function afterValue(bytes: Buffer, at: number): number {
  if (bytes[at] === quote) return afterString(bytes, at)
  let depth = 0
  for (let end = at; end < bytes.length; end++) {
    const byte = bytes[end]
    if (byte === quote) end = afterString(bytes, end) - 1
    else if (byte === openArray || byte === openObject) depth++
    else if (byte === closeArray || byte === closeObject) {
      if (depth === 0) return end
      if (--depth === 0) return end + 1
    } else if (byte === comma && depth === 0) return end
  }
  throw new Error('a JSON value does not end')
}
