import { type AnswerHealth, createHealth } from '../shared/observability/health.ts'
import { measureQueue } from '../shared/queue/depth.ts'
import { isPaused } from '../shared/queue/pause.ts'
import { requireRights } from '../shared/redis/rights.ts'
import type { WorkerContext } from './context.ts'

/** `/livez`, `/readyz` and `/metrics` of a worker. */
export function workerHealth(
  { config, redis, store, metrics }: WorkerContext,
  isStuck: () => Promise<string | null>,
): AnswerHealth {
  const checks = { redis: () => requireRights(redis), 'object store': () => store.ping() }
  const measure = measureQueue(redis, metrics, config.limits.queuedJobs)
  return createHealth({ checks, metrics, measure, isPaused: () => isPaused(redis), isStuck })
}
