import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { withTimeout } from '../lifecycle/timeout.ts'
import { finishedChannel } from './keys.ts'
import { arrivalMs } from './rights.ts'

const everyMs = 5_000

/**
 * Watches that a subscriber receives what another connection publishes on our channel. An idle subscriber sends nothing,
 * so it notices neither a frozen connection nor a server that is no longer the primary. If a message does not arrive, the
 * subscriber connects again.
 */
export function watchChannel(redis: Redis, subscriber: Redis) {
  const id = randomUUID()
  const waiting = new Set<() => void>()
  subscriber.on('message', (_channel, text) => {
    if (text !== id) return
    for (const wake of waiting) wake()
    waiting.clear()
  })

  /** Publishes a message and waits for it. @throws Error if it cannot be published, or does not arrive in time */
  async function requireArrival(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.add(resolve)
    try {
      await redis.publish(finishedChannel, id)
    } catch (error) {
      waiting.delete(resolve)
      throw error
    }
    try {
      await withTimeout(promise, arrivalMs)
    } catch (error) {
      // If this process was busy, the message may have arrived and not been read yet.
      await setImmediate()
      if (!waiting.has(resolve)) return
      if (subscriber.status === 'ready') subscriber.disconnect(true)
      throw error
    } finally {
      waiting.delete(resolve)
    }
  }

  const timer = setInterval(() => void requireArrival().catch(() => {}), everyMs)
  return {
    subscriber,
    requireArrival,
    stop() {
      clearInterval(timer)
      subscriber.disconnect()
    },
  }
}
