import type { Redis, Result } from 'ioredis'
import { flowTurnsKey, turnKey } from './redis-keys.ts'

/**
 * Order of the queue, by start-time fair queueing. Each delivery gets a number, its turn, when it is added: the turn
 * after its flow's last turn, but not below the turn of the last delivery started. So flows alternate, however many
 * deliveries of each are waiting, and a new flow does not wait behind all the work of others. An org with its
 * sub-directories has two flows: its whole publishes, and the slices of its large multis.
 *
 * The turn determines the priority in BullMQ: lower turns run first, equal turns in order of arrival. Turns restart at
 * 1 when nothing is queued or in progress. If they reach the end of the range before that, all further deliveries get
 * the last turn and run in order of arrival until the queue has been empty once.
 */
export interface FairQueueing {
  /** Priorities of the next deliveries of a flow. Within one turn whole publishes come before slices. */
  nextPriorities(flow: Flow, count: number): Promise<number[]>
  /** Priority of a delivery that lets other flows go first. This does not count as a turn of its own flow. */
  prioritySecond(flow: Flow): Promise<number>
  /** Returns the turn of a delivery that will never start to its flow. */
  returnTurn(flow: Flow): Promise<void>
  /** Call this when a delivery starts. Deliveries from before turns existed have no priority. */
  started(priority: number | undefined): Promise<void>
}

export type Flow = { org: string } | { slicesOf: string }

declare module 'ioredis' {
  interface RedisCommander<Context> {
    turnsNext(keys: number, ...keysAndValues: string[]): Result<number, Context>
    turnStarted(turn: string, started: string): Result<number, Context>
    turnReturned(turn: string, flows: string, flow: string): Result<number, Context>
  }
}

/** BullMQ takes priorities below 2^21; each turn uses two. */
const lastTurn = 2 ** 20 - 1

/** At the last turn slices rank equal to whole publishes, or an endless stream of publishes would starve them. */
const priorityOf = (turn: number, isSlice: boolean) => 2 * turn + (isSlice && turn < lastTurn ? 1 : 0)

// KEYS: turn of the last delivery started, last turn of each flow, all keys where the queue keeps jobs. ARGV: flow,
// number of turns, the maximum turn.
const nextScript = `
if redis.call('EXISTS', unpack(KEYS, 3)) == 0 then redis.call('DEL', KEYS[1], KEYS[2]) end
local now = tonumber(redis.call('GET', KEYS[1]) or 0)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. now)
local last = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
local first = math.min(math.max(now, last + 1), ARGV[3])
redis.call('ZADD', KEYS[2], first + ARGV[2] - 1, ARGV[1])
return first`

// A delivery that is handed to another worker has an old turn, but the current turn must never go back.
const startedScript = `
if tonumber(ARGV[1]) <= tonumber(redis.call('GET', KEYS[1]) or 0) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`

// KEYS: turn of the last delivery started, last turn of each flow. ARGV: flow.
const returnScript = `
local last = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if last <= tonumber(redis.call('GET', KEYS[1]) or 0) then return 0 end
redis.call('ZINCRBY', KEYS[2], -1, ARGV[1])
return 1`

const nameOf = (flow: Flow) => ('slicesOf' in flow ? `slices:${flow.slicesOf}` : `org:${flow.org}`)

/**
 * @param queueKeys the keys of all jobs in the queue, in any state.
 * @param turns the keys of the turns of this queue.
 */
export function createFairQueueing(
  redis: Redis,
  queueKeys: readonly string[],
  [turn, flowTurns]: readonly [turn: string, flowTurns: string] = [turnKey, flowTurnsKey],
): FairQueueing {
  redis.defineCommand('turnsNext', { lua: nextScript })
  redis.defineCommand('turnStarted', { numberOfKeys: 1, lua: startedScript })
  redis.defineCommand('turnReturned', { numberOfKeys: 2, lua: returnScript })
  const keys = [turn, flowTurns, ...queueKeys]
  return {
    async nextPriorities(flow, count) {
      const first = await redis.turnsNext(keys.length, ...keys, nameOf(flow), String(count), String(lastTurn))
      return Array.from({ length: count }, (_, at) => priorityOf(Math.min(first + at, lastTurn), 'slicesOf' in flow))
    },
    async prioritySecond(flow) {
      const now = Number(await redis.get(turn))
      return priorityOf(Math.min(now + 1, lastTurn), 'slicesOf' in flow)
    },
    async returnTurn(flow) {
      await redis.turnReturned(turn, flowTurns, nameOf(flow))
    },
    async started(priority) {
      if (priority) await redis.turnStarted(turn, String(Math.floor(priority / 2)))
    },
  }
}
