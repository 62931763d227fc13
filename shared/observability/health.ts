import type { Metrics } from './metrics.ts'

/** Each dependency's check, by name; one that throws is down. */
export type Checks = Record<string, () => Promise<unknown>>

/** What a program says of itself when it is asked. */
interface Health {
  checks: Checks
  metrics: Metrics
  /** Brings the metrics up to date that are asked for, not counted. */
  measure(): Promise<void>
  /** Why this process should be started anew; null when it should not. */
  isStuck?(): Promise<string | null>
}

interface HealthAnswer {
  status: number
  type: string
  body: string
}

const checkLimitMs = 3_000

/** Which dependencies answer. A check that hangs is down as well. */
export async function failingChecks(checks: Checks): Promise<string[]> {
  const outcomes = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const isUp = await soon(check()).then(
        () => true,
        () => false,
      )
      return isUp ? [] : [name]
    }),
  )
  return outcomes.flat()
}

/** What does not come within the time that a check has is an error: a client of Redis waits for ever. */
export async function soon<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('late')), checkLimitMs)
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

const freshMs = 1_000

/** One answer for all that ask within a second: anybody may, and each time costs Redis and the store something. */
function onceASecond<T>(ask: () => Promise<T>): () => Promise<T> {
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

/** `/livez`, `/readyz` and `/metrics` of either program; null for any other path. Open, so they name no addresses. */
export function createHealth({ checks, metrics, measure, isStuck }: Health) {
  const failing = onceASecond(() => failingChecks(checks))
  const measured = onceASecond(measure)

  async function told(): Promise<string> {
    const [down] = await Promise.all([failing(), measured()])
    for (const dependency of Object.keys(checks)) {
      metrics.dependencyUp.set({ dependency }, down.includes(dependency) ? 0 : 1)
    }
    return metrics.registry.metrics()
  }

  return async (path: string): Promise<HealthAnswer | null> => {
    if (path === '/livez') {
      const problem = (await isStuck?.()) ?? null
      return problem === null ? plain(200, 'ok') : plain(503, problem)
    }
    if (path === '/readyz') {
      const down = await failing()
      return down.length === 0 ? plain(200, 'ok') : plain(503, `down: ${down.join(', ')}`)
    }
    return path === '/metrics' ? { status: 200, type: metrics.registry.contentType, body: await told() } : null
  }
}

const plain = (status: number, text: string): HealthAnswer => ({ status, type: 'text/plain', body: `${text}\n` })
