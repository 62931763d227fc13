import type { RequestHandler } from 'express'
import { type AnswerHealth, type Checks, createHealth } from '../shared/observability/health.ts'
import { measureQueue } from '../shared/queue/depth.ts'
import { isPaused } from '../shared/queue/pause.ts'
import { requireRights } from '../shared/redis/rights.ts'
import type { ApiContext } from './context.ts'

export const apiChecks = ({ redis, channel, store }: Pick<ApiContext, 'redis' | 'channel' | 'store'>): Checks => ({
  redis: () => Promise.all([requireRights(redis), channel.requireArrival()]),
  'object store': () => store.ping(),
})

/** `/livez`, `/readyz` and `/metrics` of an API. */
export function apiHealth(context: ApiContext): AnswerHealth {
  const { config, redis, metrics } = context
  const measure = measureQueue(redis, metrics, config.limits.queuedJobs)
  return createHealth({ checks: apiChecks(context), metrics, measure, isPaused: () => isPaused(redis) })
}

/** Serves the paths that `answerTo` knows. They need no token. */
export const serveHealth =
  (answerTo: AnswerHealth): RequestHandler =>
  async (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const answer = isRead ? await answerTo(request.path) : null
    if (answer === null) return next()
    response.status(answer.status).set('Content-Type', answer.type).send(answer.body)
  }
