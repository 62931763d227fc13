import type { Redis } from 'ioredis'
import { isFinished } from '../../wire/job-states.ts'
import { finishedChannel } from '../redis/keys.ts'
import type { JobRecord } from './job.ts'
import type { JobRecords } from './job-records.ts'

export interface Follower {
  /**
   * Receives the job, whether or not it has changed; null if its record is gone. Called soon after the start, then
   * twice a second while Redis answers, and as soon as the job has finished. The followers of a job share the record.
   */
  see(job: JobRecord | null): void
  /** Called twice a second, whether or not Redis answers. */
  tick(): void
  /** Called when the process shuts down. */
  release(): void
}

interface Waiter {
  deadline: number
  wake: () => void
}

interface Watched {
  waiters: Set<Waiter>
  followers: Set<Follower>
}

const expiryCheckMs = 100
const checksPerTick = 5
/** Few enough that reading thousands of jobs does not hold the event loop, or Redis, for long. */
const readAtOnce = 50

/** Waits for jobs and follows them, with one subscription and one timer for the whole process. */
export async function createFinishWaiter(subscriber: Redis, records: Pick<JobRecords, 'read'>) {
  const watched = new Map<string, Watched>()
  let timer: NodeJS.Timeout | undefined
  let checks = 0
  let isReading = false
  let isReleased = false
  subscriber.on('message', (_channel, id: string) => {
    const job = watched.get(id)
    if (job === undefined) return
    for (const { wake } of job.waiters) wake()
    if (job.followers.size > 0) void show(id)
  })
  await subscriber.subscribe(finishedChannel)
  // The client subscribes again by itself only if the connection before was subscribed.
  subscriber.on('ready', () => void catchUp().catch(() => {}))

  /** Wakes those whose jobs have finished while there was no subscription. */
  async function catchUp() {
    await subscriber.subscribe(finishedChannel)
    for (const [id, { waiters }] of watched) {
      const record = waiters.size > 0 ? await records.read(id) : undefined
      if (record === null || (record && isFinished(record))) for (const { wake } of waiters) wake()
    }
  }

  function check() {
    const now = performance.now()
    const isTick = ++checks % checksPerTick === 0
    for (const { waiters, followers } of watched.values()) {
      for (const { deadline, wake } of waiters) if (deadline <= now) wake()
      if (isTick) for (const follower of followers) follower.tick()
    }
    if (isTick && !isReading) void showAll()
  }

  async function showAll() {
    isReading = true
    const ids = [...watched].flatMap(([id, { followers }]) => (followers.size > 0 ? [id] : []))
    for (let from = 0; from < ids.length; from += readAtOnce) {
      await Promise.all(ids.slice(from, from + readAtOnce).map((id) => show(id)))
    }
    isReading = false
  }

  /** Shows a job to one of its followers, or to all. If Redis does not answer, the next tick reads it again. */
  async function show(id: string, only?: Follower) {
    const record = await records.read(id).catch(() => undefined)
    if (record === undefined) return
    // Look up the followers after the read: one that has left in between must not be called.
    for (const follower of watched.get(id)?.followers ?? []) {
      if (only === undefined || only === follower) follower.see(record)
    }
  }

  function watch(id: string): Watched {
    const job = watched.get(id) ?? { waiters: new Set(), followers: new Set() }
    watched.set(id, job)
    timer ??= setInterval(check, expiryCheckMs)
    return job
  }

  function unwatch(id: string, { waiters, followers }: Watched) {
    if (waiters.size + followers.size === 0) watched.delete(id)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    /**
     * The job once it has finished or `milliseconds` have passed; null when there is no such job. @throws the reason of
     * `signal` as soon as that aborts
     */
    async wait(id: string, milliseconds: number, signal: AbortSignal): Promise<JobRecord | null> {
      signal.throwIfAborted()
      if (isReleased || milliseconds === 0) return records.read(id)
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const waiter = { deadline: performance.now() + milliseconds, wake }
      const job = watch(id)
      job.waiters.add(waiter)
      signal.addEventListener('abort', wake, { once: true })
      try {
        // Read after registering: otherwise a job that finishes in between would never wake this waiter.
        const record = await records.read(id)
        if (record === null || isFinished(record)) return record
        await woken
        signal.throwIfAborted()
        return await records.read(id)
      } finally {
        signal.removeEventListener('abort', wake)
        job.waiters.delete(waiter)
        unwatch(id, job)
      }
    },
    /** Shows a job to a follower until the returned function is called. */
    follow(id: string, follower: Follower): () => void {
      const job = watch(id)
      job.followers.add(follower)
      if (isReleased) follower.release()
      else void show(id, follower)
      return () => {
        job.followers.delete(follower)
        unwatch(id, job)
      }
    },
    /** Call this when the process shuts down. It ends all waits and releases all followers, also all later ones. */
    release() {
      isReleased = true
      for (const { waiters, followers } of watched.values()) {
        for (const { wake } of waiters) wake()
        for (const follower of followers) follower.release()
      }
    },
  }
}

export type FinishWaiter = Awaited<ReturnType<typeof createFinishWaiter>>
