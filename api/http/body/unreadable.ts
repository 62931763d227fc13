import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Request, RequestHandler } from 'express'
import type { AppError } from '../../../shared/errors/app-error.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import type { OnUnreadable, UnreadableRequest } from '../../../shared/lifecycle/listen.ts'
import type { ApiContext } from '../../context.ts'
import { errorBody } from '../error-handler.ts'
import { securityHeaders } from '../headers.ts'

/** Bytes of the path, query and headers. Beyond this limit the answer is `431 headTooLarge`. */
const largestHeadBytes = 16 * 1024

/** Refuses a request whose head is invalid or too large although it could be parsed. */
export const checkHead: RequestHandler = (request, _response, next) => {
  const { httpVersion, headers } = request
  if (headBytes(request) > largestHeadBytes) throw errors.headTooLarge(largestHeadBytes)
  if (httpVersion === '1.1' && headers.host === undefined) throw errors.malformedHttp()
  if ((headers.expect ?? '100-continue').toLowerCase() !== '100-continue') throw errors.expectationFailed()
  next()
}

// rawHeaders alternates names and values, each followed by two separator characters.
const headBytes = ({ url, rawHeaders }: Request) => rawHeaders.reduce((sum, text) => sum + text.length + 2, url.length)

/** Answers requests that cannot be parsed, in the error format of the path if it can be determined. */
export function answerUnreadable({ log, metrics }: Pick<ApiContext, 'log' | 'metrics'>): OnUnreadable {
  return (thrown, socket, response) => {
    if (thrown.code === 'ECONNRESET' || !socket.writable || response?.headersSent) return void socket.destroy()
    const error = errorOf(thrown)
    const requestId = randomUUID()
    metrics.requests.observe({ method: 'none', route: 'none', status: error.status }, 0)
    log.info({ requestId, status: error.status, code: thrown.code }, 'request not understood')
    const path = response?.req.url?.split('?')[0] ?? pathIn(thrown)
    socket.end(answerOf(error, path, requestId), () => socket.destroy())
  }
}

function errorOf({ code }: UnreadableRequest): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.headTooLarge(largestHeadBytes)
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? errors.requestTimeout() : errors.malformedHttp()
}

/** The last packet starts with the request line, unless that came in an earlier packet. */
const pathIn = ({ rawPacket }: UnreadableRequest): string =>
  /^[A-Z]+ ([^ ?]+)/.exec(rawPacket?.toString('latin1', 0, 1_000) ?? '')?.[1] ?? ''

function answerOf(error: AppError, path: string, requestId: string): string {
  const { type, body } = errorBody(error, path)
  const headers = {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', body].join('\r\n')
}
