import { type Job, Queue } from 'bullmq'
import type { Redis, Result } from 'ioredis'
import { callbackDue } from './create-job.ts'
import { createFairQueueing } from './fair-queueing.ts'
import { flowOf, queuePrefix, queueStates } from './queue.ts'
import type { JobCallback, JobRecord } from './record.ts'
import { hashOf, recordOf } from './record-hash.ts'
import { callbackFlowTurnsKey, callbacksDueKey, callbackTurnKey, recordKey } from './redis-keys.ts'
import { isFinished } from './states.ts'

export const callbackQueueName = 'packets-callbacks'

/** The queue delivers ids only; what is due is in the job's record. */
export interface CallbackPayload {
  id: string
}

type Called = Pick<JobRecord, 'id' | 'orgName'>

/**
 * The callbacks of finished jobs. The script that finishes a job notes that its callback is due; then the id is queued.
 * The note stays until the callback is delivered or given up, so that the janitor can queue it again. So a callback is
 * sent at least once, even if processes are killed. Orgs take turns, as `FairQueueing` says, so that an org with a slow
 * receiver does not delay the others.
 */
export interface Callbacks {
  /** Queues the callback of a finished job, unless it is already queued. */
  add(job: Called): Promise<void>
  /** Call this when an attempt starts. */
  started(delivery: Job<CallbackPayload>): Promise<void>
  /** Delays the callback of a delivery until its next attempt, which has a new turn. */
  delay(delivery: Job<CallbackPayload>, token: string | undefined, job: Called, milliseconds: number): Promise<void>
  /** Ids of callbacks that became due before a time (epoch milliseconds, Redis's clock) and that the queue lacks. */
  lostBefore(time: number): Promise<string[]>
  /**
   * Writes the outcome of an attempt into the job's record, and removes the note unless the callback is still due.
   * @returns false, and changes nothing, if `sendAgain` was called during the attempt.
   */
  settle(id: string, callback: JobCallback): Promise<boolean>
  /** Removes the note of a job that is gone or whose callback is not due. */
  forget(id: string): Promise<void>
  /**
   * Makes the callback of a finished job due again, with all its attempts, and queues it. While an attempt is in
   * progress the queue accepts no second delivery, so `ended` queues it after the attempt.
   */
  sendAgain(job: Called): Promise<void>
  /** Call this after a delivery: it queues the callback again if `sendAgain` was called during the attempt. */
  ended(id: string): Promise<void>
  close(): Promise<void>
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    callbackSettle(record: string, due: string, id: string, ...fields: string[]): Result<number, Context>
    callbackAgain(record: string, due: string, id: string, ...fields: string[]): Result<number, Context>
    callbackForget(record: string, due: string, id: string): Result<number, Context>
  }
}

// KEYS: record, callbacks due. ARGV: id, 'due' or '', attempts before this one, field. A full Redis refuses a script
// whose first write allocates memory, so delete first. If the record has fewer attempts, `sendAgain` has reset them.
const settleScript = `
local known = redis.call('HGET', KEYS[1], 'callback')
if known and cjson.decode(known).attempts < tonumber(ARGV[3]) then return 0 end
if ARGV[2] == '' or not known then redis.call('ZREM', KEYS[2], ARGV[1]) end
if known then redis.call('HSET', KEYS[1], unpack(ARGV, 4)) end
return 1`

const againScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
return redis.call('ZADD', KEYS[2], redis.call('TIME')[1] * 1000, ARGV[1])`

const forgetScript = `
if string.find(redis.call('HGET', KEYS[1], 'callback') or '', '"state":"due"', 1, true) then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])`

const lookupBatch = 500

export function createCallbacks(redis: Redis): Callbacks {
  redis.defineCommand('callbackSettle', { numberOfKeys: 2, lua: settleScript })
  redis.defineCommand('callbackAgain', { numberOfKeys: 2, lua: againScript })
  redis.defineCommand('callbackForget', { numberOfKeys: 2, lua: forgetScript })
  const queue = new Queue<CallbackPayload>(callbackQueueName, { connection: redis, prefix: queuePrefix })
  // The connection's own listener logs errors. BullMQ emits them again, and without a listener here they would throw.
  queue.on('error', () => {})

  const turns = [callbackTurnKey, callbackFlowTurnsKey] as const
  const fairness = createFairQueueing(redis, queueStates.map(queue.toKey.bind(queue)), turns)

  const nextPriority = async (job: Called) => (await fairness.nextPriorities(flowOf(job.orgName), 1))[0] as number

  async function add(job: Called) {
    const { id } = job
    // The queue would ignore the delivery, and the turn would delay the org's later callbacks for nothing.
    if (await redis.exists(queue.toKey(id))) return
    const options = { jobId: id, priority: await nextPriority(job), removeOnComplete: true, removeOnFail: true }
    await queue.add('call-back', { id }, options)
  }

  /** Queues a callback without its pause, if it waits for its next attempt. An attempt in progress is not affected. */
  async function requeue(job: Called) {
    if ((await queue.remove(job.id)) === 1) await fairness.returnTurn(flowOf(job.orgName))
    await add(job)
  }

  return {
    add,
    started: (delivery) => fairness.started(delivery.priority),
    async delay(delivery, token, job, milliseconds) {
      await delivery.changePriority({ priority: await nextPriority(job) })
      await delivery.moveToDelayed(Date.now() + milliseconds, token)
    },
    async lostBefore(time) {
      const due = await redis.zrange(callbacksDueKey, '-inf', `(${time}`, 'BYSCORE')
      const lost: string[] = []
      for (let first = 0; first < due.length; first += lookupBatch) {
        const some = due.slice(first, first + lookupBatch)
        const known = await Promise.all(some.map((id) => redis.exists(queue.toKey(id))))
        lost.push(...some.filter((_, at) => known[at] === 0))
      }
      return lost
    },
    async settle(id, callback) {
      const isDue = callback.state === 'due' ? 'due' : ''
      const values = [isDue, String(callback.attempts - 1), ...hashOf({ callback })]
      return (await redis.callbackSettle(recordKey(id), callbacksDueKey, id, ...values)) === 1
    },
    async forget(id) {
      await redis.callbackForget(recordKey(id), callbacksDueKey, id)
    },
    async sendAgain(job) {
      const { id } = job
      await redis.callbackAgain(recordKey(id), callbacksDueKey, id, ...hashOf({ callback: callbackDue }))
      await requeue(job)
    },
    async ended(id) {
      const { state, callback, orgName } = recordOf(await redis.hgetall(recordKey(id)))
      // `settle` has counted the attempt, so the count is 0 only after `sendAgain`.
      const isDueAgain = isFinished({ state }) && callback?.state === 'due' && callback.attempts === 0
      if (isDueAgain) await requeue({ id, orgName })
    },
    close: () => queue.close(),
  }
}
