import { setImmediate } from 'node:timers/promises'

const turnMs = 20

/** Work in small steps, which run with pauses (`inTurns`) or without (`atOnce`). */
export type Steps<Result> = Generator<unknown, Result>

/** Does work that may take long, and yields to the event loop every 20 ms. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (let turn = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value as Result
    if (performance.now() - turn < turnMs) continue
    await setImmediate()
    turn = performance.now()
  }
}

export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value as Result
  }
}
