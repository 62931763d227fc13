import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { ApiContext } from '../context.ts'
import { toAppError } from './error-handler.ts'

/** Gives each request its id, and logs and measures each answer. Paths are logged, never queries, bodies or tokens. */
export function logRequests({ log, metrics }: Pick<ApiContext, 'log' | 'metrics'>): RequestHandler {
  return (request, response, next) => {
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
      metrics.requests.observe({ method, route: route?.path ?? 'none', status }, milliseconds / 1_000)
      const jobLocation = response.get('Location')
      log.info({ requestId, method, path, status, milliseconds, isWhole, jobLocation }, 'request')
    })
    next()
  }
}

/** Of an answer that did not come whole: 499 where the client left, else what it would have been, had it not begun. */
function statusOfPart({ locals }: Response): number {
  return locals.brokenBy === undefined ? 499 : Math.max(500, toAppError(locals.brokenBy).status)
}
