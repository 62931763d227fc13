import { gzipSync } from 'node:zlib'
import type { RequestHandler } from 'express'

/** Answers every request with the same text, compressed in advance, because anyone may request it without a token. */
export function staticAnswer(type: string, text: string): RequestHandler {
  const [plain, compressed] = [Buffer.from(text), gzipSync(text, { level: 9 })]
  return (request, response) => {
    const isCompressed = request.acceptsEncodings('gzip') !== false
    response.type(type).vary('Accept-Encoding')
    if (isCompressed) response.set('Content-Encoding', 'gzip')
    response.send(isCompressed ? compressed : plain)
  }
}
