import type { Redis } from 'ioredis'
import type { Releases } from '../lifecycle/releases.ts'
import type { Metrics } from '../observability/metrics.ts'
import { createKeptOrigins } from '../origin/kept-origins.ts'
import { createCallbacks } from './callbacks.ts'
import { createJobQueue } from './queue.ts'

/** Opens what a program that publishes needs besides Redis. All are closed concurrently, as each may take seconds. */
export function openQueuesAndOrigins(redis: Redis, { originsKept }: Pick<Metrics, 'originsKept'>, releases: Releases) {
  const opened = {
    queue: createJobQueue(redis),
    callbacks: createCallbacks(redis),
    keptOrigins: createKeptOrigins(originsKept),
  }
  return releases.add('queues and kept origins', opened, ({ queue, callbacks, keptOrigins }) =>
    Promise.all([queue.close(), callbacks.close(), keptOrigins.close()]),
  )
}
