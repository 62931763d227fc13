import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { flowTurnsKey, turnKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'

/**
 * The BullMQ states of jobs that are not finished, each with the type of its key. A job with a turn waits in
 * `prioritized`, and in `wait` only after it lost its worker. A job in `waiting-children` holds no slot. A delayed job is
 * not available before its time.
 */
export const queueKeys = {
  wait: 'list',
  prioritized: 'sorted set',
  active: 'list',
  delayed: 'sorted set',
  'waiting-children': 'sorted set',
} as const

const lookupBatch = 500

export type Flow = { org: string } | { slicesOf: string }

/** BullMQ takes priorities below 2^21; each turn uses two. */
const lastTurn = 2 ** 20 - 1

/** At the last turn slices rank equal to whole publishes, or an endless stream of publishes would starve them. */
const priorityOf = (turn: number, isSlice: boolean) => 2 * turn + (isSlice && turn < lastTurn ? 1 : 0)

// `turn`: the key of the turn of the last delivery started; `turns`: that of the last turn of each flow; the fields are
// all keys where the queue keeps jobs.
const next = script(
  ['turn', 'turns', 'flow', 'count'],
  `if redis.call('EXISTS', unpack(fields)) == 0 then redis.call('DEL', turn, turns) end
local now = tonumber(redis.call('GET', turn) or 0)
redis.call('ZREMRANGEBYSCORE', turns, '-inf', '(' .. now)
local last = tonumber(redis.call('ZSCORE', turns, flow) or 0)
local first = math.min(math.max(now, last + 1), ${lastTurn})
redis.call('ZADD', turns, first + count - 1, flow)
return first`,
)

// A delivery that is handed to another worker has an old turn, but the current turn must never go back.
const start = script(
  ['turn', 'started'],
  `if tonumber(started) <= tonumber(redis.call('GET', turn) or 0) then return 0 end
redis.call('SET', turn, started)
return 1`,
)

const giveBack = script(
  ['turn', 'turns', 'flow'],
  `local last = tonumber(redis.call('ZSCORE', turns, flow) or 0)
if last <= tonumber(redis.call('GET', turn) or 0) then return 0 end
redis.call('ZINCRBY', turns, -1, flow)
return 1`,
)

const nameOf = (flow: Flow) => ('slicesOf' in flow ? `slices:${flow.slicesOf}` : `org:${flow.org}`)

/**
 * Order of the queue, by start-time fair queueing. Each delivery gets a number, its turn, when it is added: the turn
 * after its flow's last turn, but not below the turn of the last delivery started. So flows alternate, however many
 * deliveries of each are waiting, and a new flow does not wait behind all the work of others. An org with its
 * sub-directories has two flows: its whole publishes, and the slices of its large multis.
 *
 * The turn determines the priority in BullMQ: lower turns run first, equal turns in order of arrival. Turns restart at
 * 1 when nothing is queued or in progress. If they reach the end of the range before that, all further deliveries get
 * the last turn and run in order of arrival until the queue has been empty once.
 *
 * @param keys the keys of the turns of this queue.
 */
export function createFairQueueing(
  redis: Redis,
  queue: Queue,
  keys: { turn: string; turns: string } = { turn: turnKey, turns: flowTurnsKey },
) {
  // The connection's own listener logs errors. BullMQ emits them again, and without a listener here they would throw.
  queue.on('error', () => {})
  const keysOfQueue = Object.keys(queueKeys).map((state) => queue.toKey(state))

  /** Priorities of the next deliveries of a flow. Within one turn whole publishes come before slices. */
  async function nextPriorities(flow: Flow, count: number): Promise<number[]> {
    const first = await next(redis, { ...keys, flow: nameOf(flow), count }, ...keysOfQueue)
    return Array.from({ length: count }, (_, at) => priorityOf(Math.min(first + at, lastTurn), 'slicesOf' in flow))
  }

  return {
    nextPriorities,
    nextPriority: async (flow: Flow) => (await nextPriorities(flow, 1))[0] as number,
    /** Priority of a delivery that lets other flows go first. This does not count as a turn of its own flow. */
    async prioritySecond(flow: Flow): Promise<number> {
      const now = Number(await redis.get(keys.turn))
      return priorityOf(Math.min(now + 1, lastTurn), 'slicesOf' in flow)
    },
    /** Removes a delivery, unless it is in progress, and returns its turn to its flow. */
    async remove(id: string, flow: Flow) {
      if ((await queue.remove(id)) > 0) await giveBack(redis, { ...keys, flow: nameOf(flow) })
    },
    /** The ids that the queue lacks. Cheap regardless of the queue's length. */
    async missing(ids: readonly string[]): Promise<string[]> {
      const missing: string[] = []
      for (let first = 0; first < ids.length; first += lookupBatch) {
        const some = ids.slice(first, first + lookupBatch)
        const known = await Promise.all(some.map((id) => redis.exists(queue.toKey(id))))
        missing.push(...some.filter((_, at) => known[at] === 0))
      }
      return missing
    },
    /** Call this when a delivery starts. Deliveries from before turns existed have no priority. */
    async started(priority: number | undefined) {
      if (priority) await start(redis, { turn: keys.turn, started: Math.floor(priority / 2) })
    },
  }
}
