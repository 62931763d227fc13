import { RedisRefusal } from '../errors/redis-refusal.ts'
import { withTimeout } from '../lifecycle/timeout.ts'
import type { Metrics } from './metrics.ts'

/** Checks of the dependencies, by name; a dependency whose check throws is down. */
export type Checks = Record<string, () => Promise<unknown>>

/** Answers a path that a health check or Prometheus asks for; null for any other path. */
export type AnswerHealth = (path: string) => Promise<{ status: number; type: string; body: string } | null>

/** What a program reports about itself. */
interface Health {
  checks: Checks
  metrics: Metrics
  /** Refreshes the metrics that are sampled rather than counted. */
  measure(): Promise<void>
  /** Whether no new runs start, for which nothing needs a restart. */
  isPaused(): Promise<boolean>
  /** Why this process should be restarted; null if it should not. */
  isStuck?(): Promise<string | null>
}

/** Time of a check of Redis or the store. Beyond this limit the dependency counts as down. */
const checkLimitMs = 3_000

/** Dependencies that are down, each with the command that Redis refuses, if it does. A check that hangs counts as down. */
export async function failingChecks(checks: Checks): Promise<Map<string, string | null>> {
  const failing = new Map<string, string | null>()
  const ask = async ([name, check]: [string, Checks[string]]) => {
    try {
      await checked(check())
    } catch (error) {
      failing.set(name, error instanceof RedisRefusal ? error.command : null)
    }
  }
  await Promise.all(Object.entries(checks).map(ask))
  return failing
}

/** Applies the time limit of a check to a request to Redis, whose client would wait indefinitely. */
export const checked = <T>(request: Promise<T>): Promise<T> => withTimeout(request, checkLimitMs)

const freshMs = 1_000

/** Caches the answer for a second: anyone may ask, and each check costs Redis and the store a request. */
function cachedForASecond<T>(ask: () => Promise<T>): () => Promise<T> {
  let askedAt = Number.NEGATIVE_INFINITY
  let answer: Promise<T>
  return () => {
    if (performance.now() - askedAt > freshMs) {
      askedAt = performance.now()
      answer = ask()
    }
    return answer
  }
}

/** Serves `/livez`, `/readyz` and `/metrics`; null for any other path. Anyone may ask, so answers name no addresses. */
export function createHealth({ checks, metrics, measure, isPaused, isStuck }: Health): AnswerHealth {
  const failing = cachedForASecond(() => failingChecks(checks))
  const measured = cachedForASecond(measure)
  const paused = cachedForASecond(() => checked(isPaused()).catch(() => false))

  async function metricsText(): Promise<string> {
    const [down] = await Promise.all([failing(), measured()])
    for (const dependency of Object.keys(checks)) {
      metrics.dependencyUp.set({ dependency }, down.has(dependency) ? 0 : 1)
    }
    return metrics.registry.metrics()
  }

  return async (path) => {
    if (path === '/livez') {
      const problem = (await isStuck?.()) ?? null
      return problem === null ? plain(200, 'ok') : plain(503, problem)
    }
    if (path === '/readyz') {
      const down = await failing()
      const names = [...down].map(([name, refused]) => (refused === null ? name : `${name} (refuses ${refused})`))
      if (names.length > 0) return plain(503, `down: ${names.join(', ')}`)
      return plain(200, (await paused()) ? 'ok, but the queue is paused' : 'ok')
    }
    return path === '/metrics' ? { status: 200, type: metrics.registry.contentType, body: await metricsText() } : null
  }
}

const plain = (status: number, text: string) => ({ status, type: 'text/plain', body: `${text}\n` })
