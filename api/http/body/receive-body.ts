import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Request } from 'express'
import * as errors from '../../../shared/errors/catalogue.ts'

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/** The least speed of a body, and how long it may be slower. */
const [leastBytesPerMs, graceMs, checkedEveryMs] = [64, 10_000, 500]

/**
 * The bytes of a request's body, decompressed. `arrived` is called with the size of each chunk; its error ends the
 * reading.
 * @throws bodyTooLarge (413), requestTimeout (408) if it arrives slower than 64 kB a second for ten seconds,
 * unsupportedMediaType (415), malformedJson (400), clientGone (499)
 */
export async function receiveBody(
  request: Request,
  limitBytes: number,
  arrived: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  let slowAt = performance.now() + graceMs
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const source = decoded(request)
  const take = (chunk: Buffer) => {
    try {
      bytes += chunk.length
      if (bytes > limitBytes) throw errors.bodyTooLarge(limitBytes)
      arrived(chunk.length)
      chunks.push(chunk)
      slowAt = Math.min(slowAt + chunk.length / leastBytesPerMs, performance.now() + graceMs)
    } catch (error) {
      reject(error)
    }
  }
  const timer = setInterval(() => {
    if (performance.now() > slowAt) reject(errors.requestTimeout())
  }, checkedEveryMs)
  source.on('data', take).on('end', resolve)
  request.on('error', () => reject(errors.clientGone()))
  request.on('close', () => {
    if (!request.complete) reject(errors.clientGone())
  })
  if (source !== request) source.on('error', () => reject(errors.malformedJson()))
  try {
    await promise
    return Buffer.concat(chunks)
  } finally {
    clearInterval(timer)
    source.off('data', take)
    // Discard the rest of the body.
    request.unpipe().resume()
    if (source !== request) source.destroy()
  }
}

function decoded(request: Request): Readable {
  const encoding = request.get('Content-Encoding')?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return request
  if (!Object.hasOwn(decoders, encoding)) throw errors.unsupportedMediaType()
  return request.pipe(decoders[encoding as keyof typeof decoders]())
}
