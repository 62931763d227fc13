import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import type { PacketManifest } from '../../../wire/manifest.ts'
import { logOf, until, untilFrozen, untilRunEnded } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

const alone = { WORKER_CONCURRENCY: '1' }
const start = ({ service }: World, step: string) => service.startWorker({ ...overrides({ failpoint: step }), ...alone })

test('a large multi that loses a worker at every step of its slices is completed by others, each slice built once', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  // 1,010 people in sub-requests of 10: five slices of 20 and one of 1.
  const version = await drawVersion(world.origin, inject('stack').neo4j, 1_010)
  const first = await start(world, 'slicesAdded:kill')
  const requests = version.requests.map((request) => ({ ...request, asBase: true }))
  const job = await world.publish({ version, fileName: 'large', batchSize: 150, requests })
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await expireLocks(world)
  const steps = ['midRead:kill:7', 'partStored:kill:2', 'beforeSliceResult:kill', 'sliceStored:kill']
  const workers = await Promise.all(steps.map((step) => start(world, step)))
  const exits = await Promise.all(workers.map(({ exited }) => exited))
  expect(exits.map(({ signal }) => signal)).toEqual(steps.map(() => 'SIGKILL'))
  await expireLocks(world)
  const last = await start(world, 'beforeManifest:kill')
  expect(await last.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await expireLocks(world)
  await Promise.all([world.service.startWorker(), world.service.startWorker()])
  const end = await job.done
  expect([end?.state, end?.progress]).toEqual([
    'succeeded',
    { ...end?.progress, phase: 'done', subRequests: 101, subRequestsDone: 101, pairs: 2_020, parts: 16 },
  ])
  // Each of the four workers lost only its own slice; no other slice was rebuilt.
  expect(end?.attempt).toBe(5)
  const { body } = await world.client.get<PacketManifest>(`/1.0/publish/${world.org}/large/manifest`)
  expect(body.state).toMatchObject({ pairs: 2_020, nodes: 1_010 })
  await mustHold(world)
})

test('workers frozen in a slice or before the commit change nothing when they wake', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, inject('stack').neo4j, 410)
  const steps = ['midRead:stop:3', 'beforeSliceResult:stop', 'slicesDone:stop']
  const frozen = []
  const job = await world.publish({ version, fileName: 'large', batchSize: 150, force: true })
  for (const step of steps) {
    const worker = await start(world, step)
    await untilFrozen(worker)
    frozen.push(worker)
  }
  await world.service.startWorker()
  const end = await job.done
  expect([end?.state, end?.progress.pairs, end?.progress.parts]).toEqual(['succeeded', 820, 7])
  for (const worker of frozen) worker.kill('SIGCONT')
  await Promise.all(frozen.map((worker) => untilRunEnded(worker, job.id)))
  await mustHold(world)
})

test('a large multi is cancelled while its slices are built, and leaves no data behind', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld()
  const { client, service } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 610)
  const frozen = await start(world, 'beforeSliceResult:stop:2')
  const job = await world.publish({ version, fileName: 'large' })
  await untilFrozen(frozen)
  expect((await client.post(`${job.location}/cancel`)).status).toBe(202)
  await service.startWorker()
  expect((await job.done)?.state).toBe('cancelled')
  frozen.kill('SIGCONT')
  await untilRunEnded(frozen, job.id)
  const again = await world.publish({ version, fileName: 'large' })
  expect((await again.done)?.state).toBe('succeeded')
  await mustHold(world)
})

test('a worker that is stopped hands its slice back, and another builds it', {
  timeout: 240_000,
}, async () => {
  const stuck = await stuckOrigin(6_000)
  const world = await openWorld({ origins: [stuck.address], times: lastingLocks })
  const worker = await world.service.startWorker({ STOP_GRACE_SECONDS: '1', ...alone })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 410)
  const job = await world.publish({ version, fileName: 'large', requests: stuck.requestsOf(version) })
  await until('the origin hangs', () => stuck.isHolding())
  worker.kill('SIGTERM')
  expect(await worker.exited).toEqual({ code: 0, signal: null })
  expect(logOf(worker, job.id).at(-1)).toContain('"slice":0,"attempt":1,"msg":"job handed back"')
  stuck.letGo()
  await world.service.startWorker()
  const end = await job.done
  expect([end?.state, end?.attempt]).toEqual(['succeeded', 2])
  await mustHold(world)
})
