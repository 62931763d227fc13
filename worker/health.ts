import type { RequestListener } from 'node:http'
import { measureQueue } from '../shared/jobs/queue-depth.ts'
import { createHealth } from '../shared/observability/health.ts'
import type { WorkerContext } from './context.ts'

/** `/livez`, `/readyz` and `/metrics` of a worker. */
export function workerHealth(
  { config, redis, store, metrics }: WorkerContext,
  isStuck: () => Promise<string | null>,
): RequestListener {
  const checks = { redis: () => redis.ping(), 'object store': () => store.ping() }
  const measure = measureQueue(redis, metrics, config.limits.queuedJobs)
  const answerTo = createHealth({ checks, metrics, measure, isStuck })
  return async (request, response) => {
    const answer = request.method === 'GET' ? await answerTo(request.url ?? '') : null
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body)
  }
}
