import type { Redis } from 'ioredis'
import type { JobRecords } from './job-records.ts'
import type { JobRecord } from './record.ts'
import { finishedChannel } from './redis-keys.ts'
import { isFinished } from './states.ts'

/** Waits for jobs to finish, with one subscription and one timer for all waiters of this process. */
export interface FinishWaiter {
  /** The job once it has finished or `milliseconds` have passed; null when there is no such job. */
  wait(id: string, milliseconds: number): Promise<JobRecord | null>
  /** Ends all waits and makes later ones return at once: the process is shutting down. */
  release(): void
}

interface Waiting {
  id: string
  until: number
  wake: () => void
}

const tickMs = 100

export async function createFinishWaiter(subscriber: Redis, records: JobRecords): Promise<FinishWaiter> {
  const waiting = new Map<string, Set<Waiting>>()
  let timer: NodeJS.Timeout | undefined
  let isReleased = false
  subscriber.on('message', (_channel, id: string) => {
    for (const { wake } of waiting.get(id) ?? []) wake()
  })
  await subscriber.subscribe(finishedChannel)

  function wakeLate() {
    const now = performance.now()
    for (const set of waiting.values()) for (const { until, wake } of set) if (until <= now) wake()
  }

  function enter(one: Waiting) {
    const together = waiting.get(one.id) ?? new Set()
    waiting.set(one.id, together.add(one))
    timer ??= setInterval(wakeLate, tickMs)
  }

  function leave(one: Waiting) {
    const together = waiting.get(one.id)
    together?.delete(one)
    if (together?.size === 0) waiting.delete(one.id)
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async wait(id, milliseconds) {
      if (isReleased || milliseconds === 0) return records.read(id)
      const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
      const one = { id, until: performance.now() + milliseconds, wake }
      enter(one)
      try {
        // Read after registering: otherwise a job that finishes in between would never wake this waiter.
        const record = await records.read(id)
        if (record === null || isFinished(record)) return record
        await woken
        return await records.read(id)
      } finally {
        leave(one)
      }
    },
    release() {
      isReleased = true
      for (const set of waiting.values()) for (const { wake } of set) wake()
    },
  }
}
