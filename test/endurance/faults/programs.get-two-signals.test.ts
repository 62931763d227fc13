import { expect, inject, test } from 'vitest'
import { hasBegun, until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin(3_000)
/** How long a program waits for its work after the first signal. */
const graceMs = 25_000

test('a second signal ends a program at once, whatever it is doing, and another worker finishes its job', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({
    workers: 1,
    origins: [stuck.address],
    answersMayFail: true,
    times: lastingLocks,
  })
  const { client, service } = world
  const [worker] = service.workers
  if (!worker) throw new Error('no worker')
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const job = await world.publish({ version, fileName: 'file', requests: stuck.requestsOf(version) })
  await until('the job hangs', () => stuck.isHolding() && hasBegun(worker, job.id))
  // The API builds this packet itself and would wait for it.
  const [request] = stuck.requestsOf(version)
  const connections = stuck.connections()
  const returned = client.post('/1.0/publish/', { ...request, returnOnly: true }).then(
    ({ status }) => status,
    () => 'no answer',
  )
  await until('the API reads', () => stuck.connections() > connections)
  for (const program of [service.api, worker]) {
    program.kill('SIGTERM')
    await until('it is stopping', () => program.log().includes('"msg":"stopping"'))
    expect(program.hasExited()).toBe(false)
    program.kill('SIGINT')
    const toldAt = performance.now()
    expect(await program.exited).toEqual({ code: 1, signal: null })
    expect(performance.now() - toldAt).toBeLessThan(graceMs)
  }
  expect(await returned).toBe('no answer')

  stuck.letGo()
  await expireLocks(world)
  const [{ apiUrl }] = await Promise.all([service.startApi(), service.startWorker()])
  world.useApi(apiUrl)
  expect(await job.done).toMatchObject({ state: 'succeeded', attempt: 2 })
  await mustHold(world)
})
