import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { queueName, queuePrefix } from '../../../shared/jobs/queue.ts'
import { openJobsKey } from '../../../shared/jobs/redis-keys.ts'
import type { World } from './world.ts'

const limitMs = 30_000
const pauseMs = 100

/** Waits until nothing of any job is left in Redis but its record: no place in the queue, no secret, no claim. */
export async function mustBeQuiet({ redis }: World): Promise<void> {
  const left = async () => {
    const queue = `${queuePrefix}:${queueName}`
    const lists = await Promise.all(['wait', 'active', 'paused'].map((list) => redis.lrange(`${queue}:${list}`, 0, -1)))
    const delayed = await redis.zrange(`${queue}:delayed`, '0', '-1')
    const open = await redis.zrange(openJobsKey, '0', '-1')
    const keys = [...(await redis.keys('packets:secret:*')), ...(await redis.keys('packets:claim:*'))]
    return [...lists.flat(), ...delayed, ...open, ...keys]
  }
  const deadline = Date.now() + limitMs
  while ((await left()).length > 0 && Date.now() < deadline) await delay(pauseMs)
  expect(await left()).toEqual([])
}
