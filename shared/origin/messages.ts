const startBytes = 64 * 1024
const keptBytes = 1024 * 1024

/** Offset of a message's tag, after the structure marker. */
export const tagAt = 1

/** Limits and consumes messages. */
interface Receiver {
  /** Maximum size of a message with this tag; undefined: the tag has not arrived yet. */
  limitBytes(tag: number | undefined): number
  /** Receives a whole message in one piece; its memory is overwritten after the call. */
  take(message: Buffer): void
  /** Called with the change, in bytes, of the memory that the incomplete message takes. */
  held(bytes: number): void
}

/**
 * Splits what a Bolt server sends after its handshake into messages, in time and memory proportional to the bytes. The
 * driver's own reader keeps an object for each chunk and walks through all of them for each byte it reads.
 * @returns a function that takes the next bytes, split anywhere, and returns whether a message is incomplete. It throws
 * an Error when a message exceeds its limit, and whatever `take` throws; after that it cannot be used.
 */
export function createMessageReader({ limitBytes, take, held: count }: Receiver): (bytes: Buffer) => boolean {
  let held: Buffer = Buffer.alloc(0)
  let heldBytes = 0
  let missingOfChunk = 0
  let halfHeader = -1

  function replace(buffer: Buffer): void {
    count(buffer.length - held.length)
    held = buffer
  }

  function hold(bytes: Buffer, from: number, to: number): void {
    const size = heldBytes + to - from
    const limit = limitBytes(heldBytes > tagAt ? held[tagAt] : undefined)
    if (size > limit) throw new Error(`a message is larger than ${limit} bytes`)
    if (size > held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(startBytes, size, Math.min(2 * held.length, limit)))
      held.copy(larger, 0, 0, heldBytes)
      replace(larger)
    }
    // For very small chunks, calling `copy` costs more than copying byte by byte.
    if (to - from < 16) for (let at = from; at < to; at++) held[heldBytes++] = bytes[at] as number
    else heldBytes += bytes.copy(held, heldBytes, from, to)
  }

  function finish(): void {
    const message = held.subarray(0, heldBytes)
    heldBytes = 0
    take(message)
    if (held.length > keptBytes) replace(Buffer.alloc(0))
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      if (missingOfChunk > 0) {
        const end = Math.min(at + missingOfChunk, bytes.length)
        hold(bytes, at, end)
        missingOfChunk -= end - at
        at = end
        continue
      }
      if (halfHeader < 0 && at + 1 === bytes.length) {
        halfHeader = bytes[at] as number
        break
      }
      const high = halfHeader < 0 ? (bytes[at++] as number) : halfHeader
      const chunkBytes = (high << 8) | (bytes[at++] as number)
      halfHeader = -1
      const end = at + chunkBytes
      if (chunkBytes === 0) {
        // Without a message, an end marker only keeps the connection alive.
        if (heldBytes > 0) finish()
      } else if (heldBytes === 0 && end + 1 < bytes.length && bytes[end] === 0 && bytes[end + 1] === 0) {
        // Fast path for nearly all messages: a single chunk that has fully arrived.
        take(bytes.subarray(at, end))
        at = end + 2
      } else missingOfChunk = chunkBytes
    }
    return heldBytes + missingOfChunk > 0
  }
}
