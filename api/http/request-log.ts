import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import { parseTraceparent, withTrace } from '../../shared/observability/trace.ts'
import type { ApiContext } from '../context.ts'
import { toAppError } from './error-handler.ts'

/**
 * Assigns each request an id and the trace that it names, and logs and measures each response. Logs paths, never
 * queries, bodies or tokens.
 */
export function logRequests(context: Pick<ApiContext, 'log' | 'metrics'>): RequestHandler {
  return (request, response, next) => {
    const traceparent = parseTraceparent(request.get('traceparent'))
    const { log, metrics } = withTrace(context, traceparent)
    response.locals.traceparent = traceparent
    const given = request.get('X-Request-Id')
    const requestId = given !== undefined && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
    const started = performance.now()
    response.locals.requestId = requestId
    response.set('X-Request-Id', requestId)
    response.on('close', () => {
      const milliseconds = Math.round(performance.now() - started)
      const { method, route, path } = request
      const { writableFinished: isWhole } = response
      const status = isWhole ? response.statusCode : statusOfPart(response)
      metrics.requests.observe(
        { method, route: response.locals.route ?? route?.path ?? 'none', status },
        milliseconds / 1_000,
      )
      const jobLocation = response.get('Location')
      log.info({ requestId, method, path, status, milliseconds, isWhole, jobLocation }, 'request')
    })
    next()
  }
}

/** Status of an incomplete response: 499 if the client disconnected, else that of the error, at least 500. */
function statusOfPart({ locals }: Response): number {
  return locals.streamError === undefined ? 499 : Math.max(500, toAppError(locals.streamError).status)
}
