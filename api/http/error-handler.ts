import { STATUS_CODES } from 'node:http'
import type { ErrorRequestHandler } from 'express'
import { AppError } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { originRefused } from '../../shared/observability/events.ts'
import { withTrace } from '../../shared/observability/trace.ts'
import { failedResponse } from '../../shared/publish/response.ts'
import { isRedisAway } from '../../shared/redis/connect.ts'
import type { ApiContext } from '../context.ts'
import { isPublishPath } from './mount.ts'

/** Turns errors into responses: the publish response object on publish paths, else problem+json. Contract 3. */
export function handleErrors(untraced: Pick<ApiContext, 'log' | 'metrics'>): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const context = withTrace(untraced, response.locals.traceparent)
    const error = toAppError(thrown)
    const requestId = response.locals.requestId
    originRefused(context, error.code)
    if (error.status >= 500 || response.headersSent) context.log.error({ err: thrown, requestId }, 'request failed')
    if (response.headersSent) return void response.destroy()
    const { type, body } = errorBody(error, request.path)
    response.status(error.status).set(error.headers).type(type).send(body)
  }
}

/** The body of an error, in the format of the path's area. */
export function errorBody(error: AppError, path: string): { type: string; body: string } {
  if (isPublishPath(path)) return { type: 'application/json', body: JSON.stringify(failedResponse(error)) }
  const { status, code, message, issues } = error
  const problem = { type: `urn:problem:${code}`, title: STATUS_CODES[status], status, detail: message }
  const body = JSON.stringify(issues.length > 0 ? { ...problem, errors: issues } : problem)
  return { type: 'application/problem+json', body }
}

/** Maps errors of Express, its body parser and Redis; any other error is an opaque 500. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown instanceof URIError) return errors.malformedUrl()
  if (isRedisAway(thrown)) return errors.queueAway(thrown)
  const { type, status, limit } = thrown as { type?: string; status?: number; limit?: number }
  if (type === 'entity.too.large') return errors.bodyTooLarge(limit ?? 0)
  if (type === 'encoding.unsupported') return errors.unsupportedMediaType()
  // The body differs from its Content-Length, or cannot be decompressed.
  if (status === 400) return errors.malformedJson()
  return errors.internal(thrown)
}
