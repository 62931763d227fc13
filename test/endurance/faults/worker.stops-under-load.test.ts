import { expect, inject, test } from 'vitest'
import { queueDepths } from '../../../shared/queue/depth.ts'
import { queueName, queuePrefix } from '../../../shared/redis/keys.ts'
import { hasBegun, logOf, until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin(6_000)

test("a job longer than its worker's grace period is handed back without a queue attempt, and another worker ends it", {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({
    workers: 1,
    origins: [stuck.address],
    times: lastingLocks,
    env: { STOP_GRACE_SECONDS: '2', WORKER_CONCURRENCY: '2' },
  })
  const [worker] = world.service.workers
  if (!worker) throw new Error('no worker')
  const version = await drawVersion(world.origin, inject('stack').neo4j, 30)
  const jobs = await Promise.all(
    ['a', 'b', 'c', 'd'].map((fileName) => world.publish({ version, fileName, requests: stuck.requestsOf(version) })),
  )
  await until('the origin hangs', () => stuck.isHolding())
  await until('two jobs run', () => jobs.filter(({ id }) => hasBegun(worker, id)).length === 2)
  const held = jobs.filter(({ id }) => hasBegun(worker, id))

  const toldAt = performance.now()
  worker.kill('SIGTERM')
  expect(await worker.exited).toEqual({ code: 0, signal: null })
  expect(performance.now() - toldAt).toBeLessThan(20_000)
  for (const { id } of held) {
    expect(logOf(worker, id).at(-1)).toContain('"job handed back"')
    const attemptsMade = await world.redis.hget(`${queuePrefix}:${queueName}:${id}`, 'atm')
    expect(Number(attemptsMade)).toBe(0)
  }
  const { wait, prioritized } = await queueDepths(world.redis)
  expect(wait + prioritized).toBe(4)

  stuck.letGo()
  await world.service.startWorker()
  for (const job of jobs) {
    const end = await job.done
    expect([end?.state, end?.attempt]).toEqual(['succeeded', held.includes(job) ? 2 : 1])
  }
  await mustHold(world)
})
