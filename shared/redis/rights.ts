import { createHash, randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { isErrorReply, RedisRefusal } from '../errors/redis-refusal.ts'
import { withTimeout } from '../lifecycle/timeout.ts'
import { finishedChannel, probeKey, queueKey } from './keys.ts'

/**
 * The commands of our scripts and of BullMQ's, in an order in which each finds what it needs. `K` is a key of the probe,
 * to which the name of a type is added, because a key has one type.
 */
const commands = [
  // First, so that the probe leaves nothing if they are refused.
  ...['UNLINK K:all', 'DEL K:all', 'PEXPIRE K:all 1', `PUBLISH ${finishedChannel} probe`],
  ...['TIME', 'SET K:text 1 PX 60000', 'GET K:text', 'INCR K:text', 'EXISTS K:text', 'TYPE K:text', 'PTTL K:text'],
  ...['EXPIRE K:text 60', 'PERSIST K:text'],
  ...['HSET K:hash a 1', 'HSETNX K:hash b 1', 'HMSET K:hash c 1', 'HINCRBY K:hash a 1', 'HGET K:hash a'],
  ...['HMGET K:hash a b', 'HGETALL K:hash', 'HVALS K:hash', 'HEXISTS K:hash a', 'HLEN K:hash', 'HDEL K:hash a'],
  ...['LPUSH K:list a', 'RPUSH K:list b', 'LPOS K:list a', 'LLEN K:list', 'LINDEX K:list 0', 'LRANGE K:list 0 -1'],
  ...['RPOPLPUSH K:list K:list', 'LREM K:list 1 b', 'LTRIM K:list 0 1', 'LPOP K:list'],
  ...['SADD K:set a', 'SISMEMBER K:set a', 'SCARD K:set', 'SMEMBERS K:set', 'SREM K:set a'],
  ...['ZADD K:order 1 a', 'ZINCRBY K:order 1 a', 'ZSCORE K:order a', 'ZMSCORE K:order a', 'ZRANK K:order a'],
  ...['ZCARD K:order', 'ZCOUNT K:order 0 9'],
  ...['ZRANGE K:order 0 -1', 'ZRANGEBYSCORE K:order 0 9', 'ZREVRANGE K:order 0 -1', 'ZRANGEBYLEX K:order - +'],
  ...['ZREMRANGEBYSCORE K:order 0 0', 'ZREM K:order b', 'ZPOPMIN K:order'],
  ...['XADD K:events * a 1', 'XLEN K:events', 'XTRIM K:events MAXLEN 0'],
]
const marking = ['ZADD K:marker 0 a', 'PEXPIRE K:marker 60000']

// Removes its keys, except the marker, and returns the first refused command and the server's words.
const probe = `local base, refused, words = ARGV[1], '', ''
for _, command in ipairs({unpack(ARGV, 2)}) do
  local parts = {}
  for part in string.gmatch(command, '%S+') do
    parts[#parts + 1] = string.sub(part, 1, 2) == 'K:' and base .. string.sub(part, 2) or part
  end
  local answer = redis.pcall(unpack(parts))
  if type(answer) == 'table' and answer.err then
    refused, words = parts[1], answer.err
    break
  end
end
for _, type in ipairs({'text', 'hash', 'list', 'set', 'order', 'events'}) do redis.pcall('DEL', base .. ':' .. type) end
return {refused, words}`
const probeDigest = createHash('sha1').update(probe).digest('hex')

/**
 * Requires that Redis does, for its user, what the work needs: scripts that read the time, write, read and remove keys of
 * ours and of the queue, and what the queue fetches. It leaves nothing behind. @throws RedisRefusal
 */
export async function requireRights(redis: Redis): Promise<void> {
  const id = randomUUID()
  const queues = queueKey(`probe:${id}`)
  await named(async () => {
    // A replica refuses it, and the client connects again. A refusal within a script would not make it.
    await redis.del(probeKey(id))
    // The client sends a script whole once, then only its digest.
    requireDone(await redis.eval(probe, 0, probeKey(id), ...commands))
    requireDone(await redis.evalsha(probeDigest, 0, queues, ...commands, ...marking))
    await redis.bzpopmin(`${queues}:marker`, 1)
  })
}

function requireDone(answer: unknown): void {
  const [refused = '', words] = answer as string[]
  if (refused !== '') throw new RedisRefusal(refused, new Error(words))
}

/** Time that a message of Redis may take to arrive. Beyond this limit the API subscribes on a new connection. */
export const arrivalMs = 3_000

/** Requires that the user may publish and receive on our channel. @throws RedisRefusal */
export async function requireChannel(redis: Redis): Promise<void> {
  const subscriber = redis.duplicate()
  subscriber.on('error', () => {})
  const id = randomUUID()
  const received = new Promise<void>((resolve) => {
    subscriber.on('message', (_channel, text) => {
      if (text === id) resolve()
    })
  })
  try {
    await named(async () => {
      await withTimeout(subscriber.connect(), arrivalMs)
      await withTimeout(subscriber.subscribe(finishedChannel), arrivalMs)
      await redis.publish(finishedChannel, id)
      await withTimeout(received, arrivalMs)
    })
  } finally {
    subscriber.disconnect()
  }
}

/** Names the command in an error with which Redis answers it. */
async function named(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { command } = error as { command?: { name: string } }
    if (isErrorReply(error) && command !== undefined) throw new RedisRefusal(command.name, error)
    throw error
  }
}
