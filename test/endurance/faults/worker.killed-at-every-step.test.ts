import { afterAll, expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { hasBegun, until } from '../../support/faults/processes.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const steps = [
  'midRead:kill:1',
  'partStored:kill:1',
  'partStored:kill:3',
  'beforeCommitting:kill',
  'beforeManifest:kill',
  'beforePlainFiles:kill',
  'beforeSucceeded:kill',
]

const stack = inject('stack')
const isPart = /^PUT \/[^/]+\/[^/]+\/\.parts\//
const proxy = await startTcpProxy(new URL(stack.s3.endpoint).host, {
  fromClient: (chunk) => (isPart.test(chunk.toString('latin1', 0, 200)) ? 'holdHalf' : 'pass'),
})
afterAll(() => proxy.close())

test('a worker may be killed at any step: another completes its job as one whole packet, after the default times', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ times: {} })
  const { service } = world
  const { lockSeconds, retrySeconds } = readConfig('worker', service.env).worker
  expect({ lockSeconds, retrySeconds }).toEqual({ lockSeconds: 10, retrySeconds: 5 })
  const version = await drawVersion(world.origin, stack.neo4j, 30)
  // Each worker takes one job and dies before another, so each job loses its worker at a different step.
  const alone = { WORKER_CONCURRENCY: '1' }
  const workers = await Promise.all([
    ...steps.map((step) => service.startWorker({ ...overrides({ failpoint: step }), ...alone })),
    service.startWorker({ S3_ENDPOINT: `http://${proxy.address}`, ...alone }),
  ])
  const jobs = await Promise.all(workers.map((_, index) => world.publish({ version, fileName: `file${index}` })))
  await until('half a part has been sent', () => proxy.isHolding())
  workers.at(-1)?.kill('SIGKILL')
  const exits = await Promise.all(workers.map(({ exited }) => exited))
  expect(exits.map(({ signal }) => signal)).toEqual(workers.map(() => 'SIGKILL'))
  for (const { id } of jobs) expect(workers.filter((worker) => hasBegun(worker, id)).length).toBe(1)

  await Promise.all([service.startWorker(), service.startWorker()])
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.progress.pairs, end?.progress.parts])).toEqual(
    jobs.map(() => ['succeeded', version.pairs, 4]),
  )
  await mustHold(world)
})
