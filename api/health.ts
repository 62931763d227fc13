import type { RequestHandler } from 'express'
import { measureQueue } from '../shared/jobs/queue-depth.ts'
import { type Checks, createHealth } from '../shared/observability/health.ts'
import type { ApiContext } from './context.ts'

export const apiChecks = ({ redis, store }: Pick<ApiContext, 'redis' | 'store'>): Checks => ({
  redis: () => redis.ping(),
  'object store': () => store.ping(),
})

/** Serves `/livez`, `/readyz` and `/metrics`, without a token. */
export function health(context: ApiContext): RequestHandler {
  const { config, redis, metrics } = context
  const measure = measureQueue(redis, metrics, config.limits.queuedJobs)
  const answerTo = createHealth({ checks: apiChecks(context), metrics, measure })
  return async (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const answer = isRead ? await answerTo(request.path) : null
    if (answer === null) return next()
    response.status(answer.status).set('Content-Type', answer.type).send(answer.body)
  }
}
