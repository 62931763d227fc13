import type { RequestListener } from 'node:http'
import { measureQueue } from '../shared/jobs/queue-depth.ts'
import { answerHealth, type Health } from '../shared/observability/health.ts'
import type { WorkerContext } from './context.ts'

/** `/livez`, `/readyz` and `/metrics` of a worker. */
export function workerHealth(
  { config, redis, store, metrics }: WorkerContext,
  isStuck: Health['isStuck'],
): RequestListener {
  const checks = { redis: () => redis.ping(), 'object store': () => store.ping() }
  const health = { checks, metrics, measure: measureQueue(redis, metrics, config.limits.queuedJobs), isStuck }
  return async (request, response) => {
    const answer = request.method === 'GET' ? await answerHealth(request.url ?? '', health) : null
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body)
  }
}
