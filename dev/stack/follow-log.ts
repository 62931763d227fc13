import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

const chunkBytes = 256 * 1024

/** A function that returns the whole text of a growing file, and reads only what is new since its last call. */
export function followLog(file: string): () => string {
  const decoder = new StringDecoder('utf8')
  let text = ''
  let offset = 0
  return () => {
    const descriptor = openSync(file, 'r')
    try {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      for (let bytes = -1; bytes !== 0; offset += bytes) {
        bytes = readSync(descriptor, chunk, 0, chunkBytes, offset)
        text += decoder.write(chunk.subarray(0, bytes))
      }
    } finally {
      closeSync(descriptor)
    }
    return text
  }
}
