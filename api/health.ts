import type { RequestHandler } from 'express'
import { measureQueue } from '../shared/jobs/queue-depth.ts'
import { answerHealth, type Checks } from '../shared/observability/health.ts'
import type { ApiContext } from './context.ts'

export const apiChecks = ({ redis, store }: Pick<ApiContext, 'redis' | 'store'>): Checks => ({
  redis: () => redis.ping(),
  'object store': () => store.ping(),
})

/** `/livez`, `/readyz`, `/metrics`: open, without a token. */
export function health(context: ApiContext): RequestHandler {
  const { config, redis, metrics } = context
  const told = { checks: apiChecks(context), metrics, measure: measureQueue(redis, metrics, config.limits.queuedJobs) }
  return async (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const answer = isRead ? await answerHealth(request.path, told) : null
    if (answer === null) return next()
    response.status(answer.status).set('Content-Type', answer.type).send(answer.body)
  }
}
