import { pipeline, type Readable } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGunzip, gzip } from 'node:zlib'
import * as errors from '../errors/catalogue.ts'

/** How parts are stored. */
export const compressions = ['none', 'gzip'] as const
export type Compression = (typeof compressions)[number]

const gzipped = promisify(gzip)

/**
 * The fastest level makes parts 13 to 16 times smaller; the slowest saves an eighth more for five times the CPU time.
 */
export const compressed = (bytes: Buffer): Promise<Buffer> => gzipped(bytes, { level: constants.Z_BEST_SPEED })

/**
 * The JSON of a stored part, which must have `bytes` bytes. Holds a few chunks in memory.
 * @throws storeAway (503) if the part cannot be read, is damaged or has another length. Yields at most `bytes` bytes.
 */
export async function* contentOf(stored: Readable, bytes: number, compression?: 'gzip'): AsyncGenerator<Buffer> {
  let length = 0
  try {
    // The loop throws the errors of both streams.
    for await (const chunk of compression ? pipeline(stored, createGunzip(), () => {}) : stored) {
      length += chunk.length
      if (length > bytes) break
      yield chunk
    }
    if (length !== bytes) throw new Error(`a stored part does not have its ${bytes} bytes`)
  } catch (error) {
    throw errors.storeAway(error)
  }
}
