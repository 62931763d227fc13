import { setImmediate } from 'node:timers/promises'

const [chunkLength, maxBlockMs] = [64 * 1024, 20]

/** Joins pieces of text into larger chunks, and yields to the event loop while the pieces are produced. */
export async function* chunkedText(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  let lastYield = performance.now()
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
    if (performance.now() - lastYield < maxBlockMs) continue
    await setImmediate()
    lastYield = performance.now()
  }
  if (chunk !== '') yield chunk
}
