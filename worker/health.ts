import type { RequestListener } from 'node:http'
import { answerHealth } from '../shared/observability/health.ts'
import type { WorkerContext } from './context.ts'

/** `/livez`, `/readyz` and `/metrics` of a worker. */
export function workerHealth({ redis, store, metrics }: WorkerContext): RequestListener {
  const checks = { redis: () => redis.ping(), 'object store': () => store.ping() }
  return async (request, response) => {
    const answer = request.method === 'GET' ? await answerHealth(request.url ?? '', checks, metrics.registry) : null
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body)
  }
}
