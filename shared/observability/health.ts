import type { Registry } from 'prom-client'

/** Each dependency's check, by name; one that throws is down. */
export type Checks = Record<string, () => Promise<unknown>>

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
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(new Error('late')), checkLimitMs)
      const isUp = await Promise.race([check(), late]).then(
        () => true,
        () => false,
      )
      clearTimeout(timer)
      return isUp ? [] : [name]
    }),
  )
  return outcomes.flat()
}

/** `/livez`, `/readyz` and `/metrics` of either program; null for any other path. Open, so they name no addresses. */
export async function answerHealth(path: string, checks: Checks, registry: Registry): Promise<HealthAnswer | null> {
  if (path === '/livez') return { status: 200, type: 'text/plain', body: 'ok\n' }
  if (path === '/metrics') return { status: 200, type: registry.contentType, body: await registry.metrics() }
  if (path !== '/readyz') return null
  const failing = await failingChecks(checks)
  const body = failing.length === 0 ? 'ok\n' : `down: ${failing.join(', ')}\n`
  return { status: failing.length === 0 ? 200 : 503, type: 'text/plain', body }
}
