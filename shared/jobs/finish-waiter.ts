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

interface Waiter {
  id: string
  deadline: number
  wake: () => void
}

const expiryCheckMs = 100

export async function createFinishWaiter(subscriber: Redis, records: JobRecords): Promise<FinishWaiter> {
  const waitersOf = new Map<string, Set<Waiter>>()
  let timer: NodeJS.Timeout | undefined
  let isReleased = false
  subscriber.on('message', (_channel, id: string) => {
    for (const { wake } of waitersOf.get(id) ?? []) wake()
  })
  await subscriber.subscribe(finishedChannel)

  function wakeExpired() {
    const now = performance.now()
    for (const set of waitersOf.values()) for (const { deadline, wake } of set) if (deadline <= now) wake()
  }

  function add(waiter: Waiter) {
    const waiters = waitersOf.get(waiter.id) ?? new Set()
    waitersOf.set(waiter.id, waiters.add(waiter))
    timer ??= setInterval(wakeExpired, expiryCheckMs)
  }

  function remove(waiter: Waiter) {
    const waiters = waitersOf.get(waiter.id)
    waiters?.delete(waiter)
    if (waiters?.size === 0) waitersOf.delete(waiter.id)
    if (waitersOf.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async wait(id, milliseconds) {
      if (isReleased || milliseconds === 0) return records.read(id)
      const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
      const waiter = { id, deadline: performance.now() + milliseconds, wake }
      add(waiter)
      try {
        // Read after registering: otherwise a job that finishes in between would never wake this waiter.
        const record = await records.read(id)
        if (record === null || isFinished(record)) return record
        await woken
        return await records.read(id)
      } finally {
        remove(waiter)
      }
    },
    release() {
      isReleased = true
      for (const set of waitersOf.values()) for (const { wake } of set) wake()
    },
  }
}
