import type { Redis } from 'ioredis'
import type { Job } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { JobRecord } from '../jobs/job.ts'
import type { JobRecords } from '../jobs/job-records.ts'
import { queueKey } from '../redis/keys.ts'
import { readFleet } from './fleet.ts'
import { readPause } from './pause.ts'

/** Readers of jobs share one count of the workers for this long. */
const countMs = 200
/** BullMQ keeps the time of a delayed job in its score, with the order in the low twelve bits. */
const scoresPerMs = 0x1000

/** Records that say of each unfinished job why it does not run: since when the queue is paused, or what it waits for. */
export function withWaiting(records: JobRecords, redis: Redis): JobRecords {
  let count: { at: number; hasWorkers: Promise<boolean> } | null = null
  function hasWorkersShared() {
    if (count === null || performance.now() - count.at > countMs) {
      count = { at: performance.now(), hasWorkers: readFleet(redis).then(({ workers }) => workers > 0) }
    }
    return count.hasWorkers
  }
  // A job does not say who paused the queue.
  const readPaused = async () => {
    const pause = await readPause(redis)
    return pause && { since: pause.since }
  }

  async function told<Some extends JobRecord | null | undefined>(jobs: Some[]): Promise<Some[]> {
    const open = jobs.flatMap((job) => (job && !isFinished(job) ? [job] : []))
    if (open.length === 0) return jobs
    const [paused, hasWorkers, places] = await Promise.all([readPaused(), hasWorkersShared(), placesOf(redis, open)])
    const waits = new Map(open.map(({ id }, at) => [id, waitingOf(places[at] as Place, hasWorkers)]))
    return jobs.map((job) =>
      job && waits.has(job.id) ? { ...job, paused, waiting: waits.get(job.id) } : job,
    ) as Some[]
  }

  return {
    ...records,
    async read(id) {
      const [job] = await told([await records.read(id)])
      return job ?? null
    },
    readMany: async (ids) => told(await records.readMany(ids)),
  }
}

/** Deliveries before a job, and the score of a delayed one. */
type Place = [ahead: number | null, delayed: string | null]

async function placesOf(redis: Redis, jobs: readonly JobRecord[]): Promise<Place[]> {
  const commands = jobs.flatMap(({ id }) => [
    ['zrank', queueKey('prioritized'), id],
    ['zscore', queueKey('delayed'), id],
  ])
  const answers = ((await redis.pipeline(commands).exec()) ?? []).map(([error, answer]) => {
    if (error) throw error
    return answer
  })
  return jobs.map((_, at) => [answers[2 * at] as number | null, answers[2 * at + 1] as string | null])
}

function waitingOf([ahead, delayed]: Place, hasWorkers: boolean): Job['waiting'] {
  if (delayed !== null) {
    return { reason: 'delay', ahead: null, until: new Date(Math.floor(Number(delayed) / scoresPerMs)).toISOString() }
  }
  return ahead === null ? null : { reason: hasWorkers ? 'turn' : 'noWorker', ahead, until: null }
}
