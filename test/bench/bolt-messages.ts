/** The Bolt message tags used here. */
export const tags = {
  goodbye: 0x02,
  run: 0x10,
  rollback: 0x13,
  discard: 0x2f,
  pull: 0x3f,
  /** Each of these ends the response to a request, after its records. */
  success: 0x70,
  ignored: 0x7e,
  failure: 0x7f,
}

export interface Message {
  tag: number
  /** Without chunk headers, because chunking may vary. */
  payload: Buffer
  /** The bytes as sent. */
  raw: Buffer
}

/** Splits one direction of a Bolt connection, after its handshake, into messages. */
export function messageReader(): (bytes: Buffer) => Message[] {
  let held: Buffer = Buffer.alloc(0)
  return (bytes) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes])
    const messages: Message[] = []
    let start = 0
    let at = 0
    let chunks: Buffer[] = []
    while (at + 2 <= held.length) {
      const size = held.readUInt16BE(at)
      if (at + 2 + size > held.length) break
      if (size > 0) chunks.push(held.subarray(at + 2, at + 2 + size))
      at += 2 + size
      if (size > 0) continue
      // An empty chunk ends a message; on its own it is a keep-alive.
      if (chunks.length > 0) {
        const payload = Buffer.concat(chunks)
        messages.push({ tag: payload[1] as number, payload, raw: held.subarray(start, at) })
      }
      start = at
      chunks = []
    }
    held = held.subarray(start)
    return messages
  }
}
