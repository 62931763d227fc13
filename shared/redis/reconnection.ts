import type { Command, Redis } from 'ioredis'

/**
 * Time that a command waits for a connection to Redis that is made again. Beyond this limit the answer is
 * `503 queueAway`.
 */
const waitMs = 1_000

/** The client sends these itself to open a connection. */
const opening = ['auth', 'hello', 'select', 'client', 'info', 'readonly']

/**
 * Makes commands wait while a lost connection is made again, instead of failing at once: servers close idle connections.
 * It is safe, because such a command was never sent. If the first new connection fails, commands fail at once again.
 */
export function hideReconnection(redis: Redis): Redis {
  let losses = 0
  const waiting = new Set<() => void>()
  const release = () => {
    for (const wake of waiting) wake()
  }
  redis.on('ready', () => {
    losses = 0
    release()
  })
  redis.on('close', () => {
    losses++
    if (losses > 1) release()
  })
  redis.on('end', release)

  const opened = () =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      waiting.add(wake)
    })

  function isPossible({ name }: Command): boolean {
    if (redis.status === 'ready') return redis.stream.writable
    return redis.status === 'wait' || redis.status === 'end' || opening.includes(name)
  }

  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command, stream) => {
    if (losses > 1 || isPossible(command as Command)) return send(command, stream)
    const answer = opened().then(() => send(command, stream))
    // A pipeline handles the command's own promise.
    answer.catch(() => {})
    return answer
  }
  return redis
}
