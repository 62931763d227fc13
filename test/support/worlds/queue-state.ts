import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { openJobsKey, queueName, queuePrefix } from '../../../shared/redis/keys.ts'
import type { World } from './world.ts'

const limitMs = 60_000
const pauseMs = 100

/** Waits until Redis holds nothing of any job except its record: no queue entry, secret or claim. */
export async function mustBeQuiet({ redis }: World): Promise<void> {
  const queue = `${queuePrefix}:${queueName}`
  // Atomic, because an entry could otherwise move from a list read later to one read earlier.
  const left = async () => {
    const asked = redis.multi()
    for (const list of ['wait', 'active', 'paused']) asked.lrange(`${queue}:${list}`, 0, -1)
    for (const set of ['prioritized', 'delayed', 'waiting-children']) asked.zrange(`${queue}:${set}`, '0', '-1')
    asked.zrange(openJobsKey, '0', '-1')
    for (const kind of ['secret', 'claim']) asked.keys(`packets:${kind}:*`)
    return ((await asked.exec()) ?? []).flatMap(([error, found]) => (error ? [error.message] : (found as string[])))
  }
  const deadline = Date.now() + limitMs
  let found = await left()
  while (found.length > 0 && Date.now() < deadline) {
    await delay(pauseMs)
    found = await left()
  }
  expect(found).toEqual([])
}

/** Ends all locks as if they had expired, so that others take the jobs of workers that are frozen or killed. */
export async function expireLocks({ redis }: World): Promise<void> {
  await redis.del(await redis.keys(`${queuePrefix}:${queueName}:*:lock`))
}
