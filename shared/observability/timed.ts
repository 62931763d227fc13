/** Observes each call: its operation, its outcome (`ok`, or the result of `outcomeOf`), and its duration. */
export type ObserveCall = (operation: string, outcome: string, seconds: number) => void

/** Runs `call` and reports its duration and outcome. */
export async function timing<T>(
  operation: string,
  call: () => Promise<T>,
  outcomeOf: (error: unknown) => string,
  observe: ObserveCall,
): Promise<T> {
  const started = performance.now()
  const report = (outcome: string) => observe(operation, outcome, (performance.now() - started) / 1_000)
  try {
    const result = await call()
    report('ok')
    return result
  } catch (error) {
    report(outcomeOf(error))
    throw error
  }
}

/** Wraps `target` so that the methods in `operations` are timed under those names. */
export function timed<T extends object>(
  target: T,
  operations: Partial<Record<keyof T, string>>,
  outcomeOf: (error: unknown) => string,
  observe: ObserveCall,
): T {
  return new Proxy(target, {
    get(it, name) {
      const method = Reflect.get(it, name)
      const operation = operations[name as keyof T]
      if (typeof method !== 'function') return method
      if (operation === undefined) return method.bind(it)
      return (...values: unknown[]) => timing(operation, () => method.apply(it, values), outcomeOf, observe)
    },
  })
}

/** `refused`: the graph database rejected the query or the credentials; `failed`: it did not answer completely. */
export const boltOutcome = (error: unknown): 'refused' | 'failed' =>
  String((error as { code?: unknown }).code).startsWith('Neo.ClientError.') ? 'refused' : 'failed'
