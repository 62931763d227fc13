import type { Metrics } from './metrics.ts'

/** Each dependency's check, by name; one that throws is down. */
export type Checks = Record<string, () => Promise<unknown>>

/** What a program says of itself when it is asked. */
export interface Health {
  checks: Checks
  metrics: Metrics
  /** Brings the metrics up to date that are asked for, not counted. */
  measure(): Promise<void>
  /** Why this process should be started anew; null when it should not. */
  isStuck?(): Promise<string | null>
}

export interface HealthAnswer {
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

/** `/livez`, `/readyz` and `/metrics` of either program; null for any other path. Open, so they name no addresses. */
export async function answerHealth(path: string, health: Health): Promise<HealthAnswer | null> {
  if (path === '/livez') {
    const problem = (await health.isStuck?.()) ?? null
    return problem === null ? plain(200, 'ok') : plain(503, problem)
  }
  if (path === '/readyz') {
    const failing = await failingChecks(health.checks)
    return failing.length === 0 ? plain(200, 'ok') : plain(503, `down: ${failing.join(', ')}`)
  }
  if (path !== '/metrics') return null
  const { dependencyUp, registry } = health.metrics
  const [failing] = await Promise.all([failingChecks(health.checks), health.measure()])
  for (const dependency of Object.keys(health.checks))
    dependencyUp.set({ dependency }, failing.includes(dependency) ? 0 : 1)
  return { status: 200, type: registry.contentType, body: await registry.metrics() }
}

const plain = (status: number, text: string): HealthAnswer => ({ status, type: 'text/plain', body: `${text}\n` })
