import type { Redis } from 'ioredis'
import { finalStates, finishedChannel, type JobRecord, type JobRecords } from './record.ts'

/** Waits for jobs to finish: one subscription for all that wait in this process. */
export interface FinishWaiter {
  /** The job when it is finished or `milliseconds` have passed; null when there is no such job. */
  wait(id: string, milliseconds: number): Promise<JobRecord | null>
}

export const isFinished = ({ state }: Pick<JobRecord, 'state'>): boolean =>
  (finalStates as readonly string[]).includes(state)

export async function createFinishWaiter(subscriber: Redis, records: JobRecords): Promise<FinishWaiter> {
  const waiting = new Map<string, Set<() => void>>()
  subscriber.on('message', (_channel, id: string) => {
    for (const wake of waiting.get(id) ?? []) wake()
  })
  await subscriber.subscribe(finishedChannel)

  return {
    async wait(id, milliseconds) {
      const { promise: woken, resolve: wake } = Promise.withResolvers<void>()
      const wakes = waiting.get(id) ?? new Set()
      waiting.set(id, wakes.add(wake))
      const timer = setTimeout(wake, milliseconds)
      try {
        // Read after subscribing, or a job that finishes in between would be waited for in vain.
        const record = await records.read(id)
        if (record === null || isFinished(record)) return record
        await woken
        return await records.read(id)
      } finally {
        clearTimeout(timer)
        wakes.delete(wake)
        if (wakes.size === 0) waiting.delete(id)
      }
    },
  }
}
