import { type Job, Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { isFinished } from '../../wire/job-states.ts'
import { callbackDue } from '../jobs/create-job.ts'
import { countEnded } from '../jobs/ended.ts'
import { hashOf, type JobCallback, type JobRecord, recordOf } from '../jobs/job.ts'
import { callbackFlowTurnsKey, callbacksDueKey, callbackTurnKey, queuePrefix, recordKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import { createFairQueueing } from './fair-queueing.ts'
import { flowOf } from './queue.ts'

export const callbackQueueName = 'packets-callbacks'

/** The queue delivers ids only; what is due is in the job's record. */
export interface CallbackPayload {
  id: string
}

type Called = Pick<JobRecord, 'id' | 'orgName'>
type Attempted = Pick<JobRecord, 'id' | 'callbackRounds'>

const toRecord = `local record = '${recordKey('')}' .. id`

// A full Redis refuses a script whose first write allocates memory, so delete first.
const settle = script(
  ['id', 'isDue', 'isFailed', 'rounds'],
  `${toRecord}
${countEnded}
local known = redis.call('HGET', record, 'callback')
if known and (redis.call('HGET', record, 'callbackRounds') or '0') ~= rounds then return 0 end
if isDue == '' or not known then redis.call('ZREM', '${callbacksDueKey}', id) end
if known then redis.call('HSET', record, unpack(fields)) end
if known and isFailed ~= '' then countEnded('callbacksFailed', 1) end
return 1`,
)

const sendAgain = script(
  ['id'],
  `${toRecord}
if redis.call('EXISTS', record) == 0 then return 0 end
redis.call('HSET', record, unpack(fields))
redis.call('HINCRBY', record, 'callbackRounds', 1)
return redis.call('ZADD', '${callbacksDueKey}', redis.call('TIME')[1] * 1000, id)`,
)

const forget = script(
  ['id'],
  `${toRecord}
if string.find(redis.call('HGET', record, 'callback') or '', '"state":"due"', 1, true) then return 0 end
return redis.call('ZREM', '${callbacksDueKey}', id)`,
)

/**
 * The callbacks of finished jobs. The script that finishes a job notes that its callback is due; then the id is queued.
 * The note stays until the callback is delivered or given up, so that the janitor can queue it again. So a callback is
 * sent at least once, even if processes are killed. Orgs take turns, as `createFairQueueing` says, so that an org with a slow
 * receiver does not delay the others.
 */
export function createCallbacks(redis: Redis) {
  const queue = new Queue<CallbackPayload>(callbackQueueName, { connection: redis, prefix: queuePrefix })
  const fairness = createFairQueueing(redis, queue, { turn: callbackTurnKey, turns: callbackFlowTurnsKey })

  async function add(job: Called) {
    const { id } = job
    // The queue would ignore the delivery, and the turn would delay the org's later callbacks for nothing.
    if (await redis.exists(queue.toKey(id))) return
    const options = { jobId: id, priority: await fairness.nextPriority(flowOf(job.orgName)) }
    await queue.add('call-back', { id }, { ...options, removeOnComplete: true, removeOnFail: true })
  }

  /** Queues a callback without its pause, if it waits for its next attempt. An attempt in progress is not affected. */
  async function requeue(job: Called) {
    await fairness.remove(job.id, flowOf(job.orgName))
    await add(job)
  }

  return {
    queue,
    /** Queues the callback of a finished job, unless it is already queued. */
    add,
    /** Call this when an attempt starts. */
    started: (delivery: Job<CallbackPayload>) => fairness.started(delivery.priority),
    /** Delays the callback of a delivery until its next attempt, which has a new turn. */
    async delay(delivery: Job<CallbackPayload>, token: string | undefined, job: Called, milliseconds: number) {
      await delivery.changePriority({ priority: await fairness.nextPriority(flowOf(job.orgName)) })
      await delivery.moveToDelayed(Date.now() + milliseconds, token)
    },
    /** Ids of callbacks that became due before a time (epoch milliseconds, Redis's clock) and that the queue lacks. */
    lostBefore: async (time: number): Promise<string[]> =>
      fairness.missing(await redis.zrange(callbacksDueKey, '-inf', `(${time}`, 'BYSCORE')),
    /**
     * Writes the outcome of an attempt into the job's record, and removes the note unless the callback is still due.
     * `rounds`: of the record that the attempt has read.
     * @returns false, and changes nothing, if `sendAgain` was called during the attempt.
     */
    async settle({ id, callbackRounds: rounds }: Attempted, callback: JobCallback): Promise<boolean> {
      const isDue = callback.state === 'due' ? 'due' : ''
      const isFailed = callback.state === 'failed' ? 'failed' : ''
      return (await settle(redis, { id, isDue, isFailed, rounds }, ...hashOf({ callback }))) === 1
    },
    /** Removes the note of a job that is gone or whose callback is not due. */
    async forget(id: string): Promise<void> {
      await forget(redis, { id })
    },
    /**
     * Makes the callback of a finished job due again, with all its attempts, and queues it. While an attempt is in
     * progress the queue accepts no second delivery, so `ended` queues it after the attempt.
     */
    async sendAgain(job: Called) {
      await sendAgain(redis, { id: job.id }, ...hashOf({ callback: callbackDue }))
      await requeue(job)
    },
    /** Call this after a delivery: it queues the callback again if `sendAgain` was called during the attempt. */
    async ended(id: string) {
      const { state, callback, orgName } = recordOf(await redis.hgetall(recordKey(id)))
      // `settle` has counted the attempt, so the count is 0 only after `sendAgain`.
      const isDueAgain = isFinished({ state }) && callback?.state === 'due' && callback.attempts === 0
      if (isDueAgain) await requeue({ id, orgName })
    },
    close: () => queue.close(),
  }
}

export type Callbacks = ReturnType<typeof createCallbacks>
