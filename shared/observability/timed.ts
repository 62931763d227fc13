/** Told of every call: which, how it ended (`ok`, or what `outcomeOf` makes of its error), and how long it took. */
export type ObserveCall = (operation: string, outcome: string, seconds: number) => void

/** Calls `call`, and tells how long it took and how it ended. */
export async function timing<T>(
  operation: string,
  call: () => Promise<T>,
  outcomeOf: (error: unknown) => string,
  observe: ObserveCall,
): Promise<T> {
  const started = performance.now()
  const told = (outcome: string) => observe(operation, outcome, (performance.now() - started) / 1_000)
  try {
    const result = await call()
    told('ok')
    return result
  } catch (error) {
    told(outcomeOf(error))
    throw error
  }
}

/** `target` with some of its methods timed, by what they are called in metrics. */
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

/** `refused`: the graph database answered, and did not want the query or us; `failed`: it did not, or not to the end. */
export const boltOutcome = (error: unknown): 'refused' | 'failed' =>
  String((error as { code?: unknown }).code).startsWith('Neo.ClientError.') ? 'refused' : 'failed'
