import type { Redis, Result } from 'ioredis'
import { flowTurnsKey, turnKey } from './redis-keys.ts'

/**
 * Whose turn it is in the queue, by start-time fair queueing. Whatever the queue is to deliver gets a turn, a number, when
 * it is added: the next one after the last of its flow, but never one before the turn of what was begun last. So the
 * flows take turns, whatever each has waiting, and one that comes late is not behind all that others have. A flow is the
 * org of whole publishes, or one large multi with its slices.
 *
 * The turn is the priority in BullMQ: lower ones first, equal ones in order of arrival; a retry keeps its own. When
 * nothing is queued or under way turns begin at 1 again. Should they reach the end of the range before, all that is
 * added from then on has the last turn, and the order of arrival decides until the queue has been empty once.
 */
export interface Turns {
  /** The priorities of the next deliveries of a flow. Of one turn whole publishes come first, then slices. */
  next(flow: Flow, count: number): Promise<number[]>
  /** A delivery of a flow will never be begun: the flow's next one need not come a turn later for it. */
  returned(flow: Flow): Promise<void>
  /** A delivery with this priority is begun; those from before there were turns have none. */
  begun(priority: number | undefined): Promise<void>
}

export type Flow = { org: string } | { multi: string }

declare module 'ioredis' {
  interface RedisCommander<Context> {
    turnsNext(keys: number, ...keysAndValues: string[]): Result<number, Context>
    turnBegun(turn: string, begun: string): Result<number, Context>
    turnReturned(turn: string, flows: string, flow: string): Result<number, Context>
  }
}

/** BullMQ takes priorities below 2^21, two of which make a turn. */
const lastTurn = 2 ** 20 - 1

/** At the last turn slices come with whole publishes: these may come without end, and slices would wait for all of them. */
const priorityOf = (turn: number, isSlice: boolean) => 2 * turn + (isSlice && turn < lastTurn ? 1 : 0)

// KEYS: turn of what was begun last, last turn of each flow, and where the queue keeps its jobs. ARGV: flow, how many
// turns, the last turn there is.
const next = `
if redis.call('EXISTS', unpack(KEYS, 3)) == 0 then redis.call('DEL', KEYS[1], KEYS[2]) end
local now = tonumber(redis.call('GET', KEYS[1]) or 0)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. now)
local last = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
local first = math.min(math.max(now, last + 1), ARGV[3])
redis.call('ZADD', KEYS[2], math.min(first + ARGV[2] - 1, ARGV[3]), ARGV[1])
return first`

// A retry has an old turn: it never goes back.
const begun = `
if tonumber(ARGV[1]) <= tonumber(redis.call('GET', KEYS[1]) or 0) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`

// KEYS: turn of what was begun last, last turn of each flow. ARGV: flow.
const returned = `
local last = tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0)
if last <= tonumber(redis.call('GET', KEYS[1]) or 0) then return 0 end
redis.call('ZINCRBY', KEYS[2], -1, ARGV[1])
return 1`

const nameOf = (flow: Flow) => ('multi' in flow ? `multi:${flow.multi}` : `org:${flow.org}`)

/** @param places the keys of everything that the queue holds, in any state. */
export function createTurns(redis: Redis, places: readonly string[]): Turns {
  redis.defineCommand('turnsNext', { lua: next })
  redis.defineCommand('turnBegun', { numberOfKeys: 1, lua: begun })
  redis.defineCommand('turnReturned', { numberOfKeys: 2, lua: returned })
  const keys = [turnKey, flowTurnsKey, ...places]
  return {
    async next(flow, count) {
      const first = await redis.turnsNext(keys.length, ...keys, nameOf(flow), String(count), String(lastTurn))
      return Array.from({ length: count }, (_, at) => priorityOf(Math.min(first + at, lastTurn), 'multi' in flow))
    },
    async returned(flow) {
      await redis.turnReturned(turnKey, flowTurnsKey, nameOf(flow))
    },
    async begun(priority) {
      if (priority) await redis.turnBegun(turnKey, String(Math.floor(priority / 2)))
    },
  }
}
