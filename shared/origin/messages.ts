const startBytes = 64 * 1024
const keptBytes = 1024 * 1024

/** Where the tag of a message stands: behind the marker of its structure. */
export const tagAt = 1

/** What becomes of the messages. */
interface Receiver {
  /** How many bytes a message with this tag may have; undefined: it has not come yet. */
  limitBytes(tag: number | undefined): number
  /** Gets a whole message, in one piece, which is overwritten afterwards. */
  take(message: Buffer): void
}

/**
 * Cuts what a Bolt server sends, after its handshake, into messages. The work and the memory follow from the bytes: the
 * driver's own reader keeps an object for each chunk, and walks through all of them for each byte that it reads.
 * @returns takes the next bytes, cut anywhere; throws an Error when a message is over its limit, and whatever `take`
 * throws. Then nothing more can be read.
 */
export function createMessageReader({ limitBytes, take }: Receiver): (bytes: Buffer) => void {
  let held = Buffer.alloc(0)
  let heldBytes = 0
  let missingOfChunk = 0
  let halfHeader = -1

  function hold(bytes: Buffer, from: number, to: number): void {
    const size = heldBytes + to - from
    const limit = limitBytes(heldBytes > tagAt ? held[tagAt] : undefined)
    if (size > limit) throw new Error(`a message is larger than ${limit} bytes`)
    if (size > held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(startBytes, size, Math.min(2 * held.length, limit)))
      held.copy(larger, 0, 0, heldBytes)
      held = larger
    }
    // A call for each of very small chunks costs more than their bytes.
    if (to - from < 16) for (let at = from; at < to; at++) held[heldBytes++] = bytes[at] as number
    else heldBytes += bytes.copy(held, heldBytes, from, to)
  }

  function finish(): void {
    const message = held.subarray(0, heldBytes)
    heldBytes = 0
    if (held.length > keptBytes) held = Buffer.alloc(0)
    take(message)
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
        return
      }
      const high = halfHeader < 0 ? (bytes[at++] as number) : halfHeader
      const chunkBytes = (high << 8) | (bytes[at++] as number)
      halfHeader = -1
      const end = at + chunkBytes
      if (chunkBytes === 0) {
        // Alone it only keeps the connection alive.
        if (heldBytes > 0) finish()
      } else if (heldBytes === 0 && end + 1 < bytes.length && bytes[end] === 0 && bytes[end + 1] === 0) {
        // Nearly all are like this: one chunk that is all here.
        take(bytes.subarray(at, end))
        at = end + 2
      } else missingOfChunk = chunkBytes
    }
  }
}
