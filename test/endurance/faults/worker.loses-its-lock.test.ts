import { expect, inject, test } from 'vitest'
import { hasBegun, logOf, until, untilRunEnded } from '../../support/faults/processes.ts'
import { rememberRedis } from '../../support/faults/rollback.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

test('a run that loses its lock ends, even if its worker is healthy and its origin hangs', {
  timeout: 240_000,
}, async () => {
  const stuck = await stuckOrigin(6_000)
  const world = await openWorld({ origins: [stuck.address] })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 100)
  const job = await world.publish({ version, fileName: 'file', requests: stuck.requestsOf(version) })
  const rollBack = await rememberRedis(world.redis)
  const worker = await world.service.startWorker({ WORKER_LOCK_SECONDS: '12', WORKER_CONCURRENCY: '1' })
  await until('the origin hangs', () => stuck.isHolding() && hasBegun(worker, job.id))
  const wasRunning = await world.records.read(job.id)
  // The queue lists the job as waiting; only the record still says that its first attempt is running.
  const running = ['state', 'running', 'attempt', String(wasRunning?.attempt), 'unended', '1']
  await rollBack((commands) => commands.hset(`packets:job:${job.id}`, ...running))
  await untilRunEnded(worker, job.id)
  stuck.letGo()
  expect((await job.done)?.state).toBe('succeeded')
  expect(logOf(worker, job.id).filter((line) => line.includes('"job started"')).length).toBe(2)
  await mustHold(world)
})
