import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { until, untilFrozen, untilRunEnded } from '../../support/faults/processes.ts'
import { rememberRedis } from '../../support/faults/rollback.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { sweepNow } from '../../support/worlds/leftovers.ts'
import { drawVersion, type Version, wholeVersion } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

const stack = inject('stack')
const batchSize = 15
const alone = { WORKER_CONCURRENCY: '1' }

interface Order {
  fileName: string
  version: Version
  force?: boolean
}

/** Submits a publish without following it: a rolled-back job goes back in state. @returns the job's location. */
async function submit({ client, org }: World, { fileName, version, force = false }: Order): Promise<string> {
  const body = version.requests.map((request) => ({ ...request, orgName: org, fileName }))
  const path = `/1.0/publish/multi?batchsize=${batchSize}&forceOverwrite=${force}`
  const { status, headers } = await client.post(path, body, { Prefer: 'respond-async' })
  expect(status).toBe(202)
  return headers.get('Location') as string
}

const jobAt = async ({ client }: World, location: string) => (await client.get<JobRecord>(location)).body
const idOf = (location: string) => location.split('/').at(-1) as string

const untilState = (world: World, location: string, state: JobRecord['state']) =>
  until(`${location} is ${state}`, async () => (await jobAt(world, location)).state === state)

/** Every URL of a packet and of its job's result must serve a part, and together they form the whole version. */
async function mustBeWhole({ client, org }: World, location: string, { fileName, version }: Order): Promise<void> {
  for (const path of [`/1.0/publish/${org}/${fileName}/url`, `${location}/result`]) {
    const { status, body } = await client.get(path)
    const urls = body.fileLocations ?? [body.fileLocation as string]
    const answers = await Promise.all(urls.map((url) => fetch(url)))
    expect([path, status, answers.map((answer) => answer.status)]).toEqual([path, 200, urls.map(() => 200)])
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(wholeVersion(texts, [{ version, batchSize }])).toBe(version.marker)
  }
}

test('jobs that run again after a Redis rollback keep their packets, also when they overwrite one', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld()
  const [older, version] = [
    await drawVersion(world.origin, stack.neo4j, 50),
    await drawVersion(world.origin, stack.neo4j, 20),
  ]
  const first = await world.service.startWorker()
  const before = await submit(world, { fileName: 'over', version: older })
  await untilState(world, before, 'succeeded')
  await first.stop(10_000)

  const orders: Order[] = [
    { fileName: 'free', version },
    { fileName: 'over', version, force: true },
    { fileName: 'other', version },
  ]
  const locations: string[] = []
  for (const order of orders) locations.push(await submit(world, order))
  const rollBack = await rememberRedis(world.redis)
  const steps = ['beforeCommitting', 'beforeCommitting', 'beforePlainFiles']
  const frozen = await Promise.all(
    steps.map((step) =>
      world.service.startWorker({ ...lastingLocks, ...overrides({ failpoint: `${step}:stop` }), ...alone }),
    ),
  )
  await Promise.all(frozen.map(untilFrozen))
  await rollBack()
  await world.service.startWorker()
  for (const location of locations) await untilState(world, location, 'succeeded')
  for (const worker of frozen) worker.kill('SIGCONT')
  await Promise.all(
    locations.map((location) => Promise.any(frozen.map((worker) => untilRunEnded(worker, idOf(location))))),
  )

  for (const [index, order] of orders.entries()) await mustBeWhole(world, locations[index] as string, order)
  await sweepNow(world, { supersededMs: 3_600_000 })
  for (const [index, order] of orders.entries()) await mustBeWhole(world, locations[index] as string, order)
})

test('cancelled and failed jobs end the same way again after a Redis rollback, and not as a store failure', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, stack.neo4j, 20)
  const cancelled = await submit(world, { fileName: 'cancelled', version })
  const failed = await submit(world, { fileName: 'failed', version })
  const rollBack = await rememberRedis(world.redis)
  expect((await world.client.post(`${cancelled}/cancel`)).status).toBe(200)
  const first = await world.service.startWorker({ JOB_MAX_PAIRS: '1' })
  await untilState(world, failed, 'failed')
  await first.stop(10_000)
  await rollBack()
  await world.service.startWorker()
  await untilState(world, cancelled, 'cancelled')
  await untilState(world, failed, 'failed')
  // The original reason for the failure is lost.
  expect((await jobAt(world, failed)).error?.code).toBe('requestGone')
})

test('a committed job cannot be cancelled after a Redis rollback', { timeout: 240_000 }, async () => {
  const world = await openWorld()
  const order = { fileName: 'file', version: await drawVersion(world.origin, stack.neo4j, 20) }
  const location = await submit(world, order)
  const rollBack = await rememberRedis(world.redis)
  const first = await world.service.startWorker()
  await untilState(world, location, 'succeeded')
  await first.stop(10_000)
  await rollBack()
  expect((await world.client.post(`${location}/cancel`)).status).toBe(409)
  await world.service.startWorker()
  await untilState(world, location, 'succeeded')
  await mustBeWhole(world, location, order)
})

test('a large multi whose slices run again after a Redis rollback keeps its packet', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, stack.neo4j, 410)
  const order = { fileName: 'large', version }
  const location = await submit(world, order)
  const rollBack = await rememberRedis(world.redis)
  const frozen = []
  for (const step of ['partStored:stop', 'beforeSliceResult:stop']) {
    const worker = await world.service.startWorker({ ...overrides({ failpoint: step }), ...alone })
    await untilFrozen(worker)
    frozen.push(worker)
  }
  await rollBack()
  await world.service.startWorker()
  await untilState(world, location, 'succeeded')
  for (const worker of frozen) worker.kill('SIGCONT')
  await Promise.all(frozen.map((worker) => untilRunEnded(worker, idOf(location))))
  await mustBeWhole(world, location, order)
  await sweepNow(world, { supersededMs: 3_600_000 })
  await mustBeWhole(world, location, order)
})

test('a large multi cancelled beside a commit that Redis forgot leaves no packet without its parts', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, stack.neo4j, 410)
  const location = await submit(world, { fileName: 'large', version })
  const builder = await world.service.startWorker({ ...overrides({ failpoint: 'slicesDone:stop' }), ...alone })
  await untilFrozen(builder)
  const rollBack = await rememberRedis(world.redis)
  builder.kill('SIGKILL')
  const frozen = await world.service.startWorker({ ...overrides({ failpoint: 'beforeManifest:stop' }), ...alone })
  await untilFrozen(frozen)
  await rollBack()
  expect((await world.client.post(`${location}/cancel`)).status).toBe(202)
  const canceller = await world.service.startWorker(overrides({ failpoint: 'cancelled:stop' }))
  await untilFrozen(canceller)
  frozen.kill('SIGCONT')
  await untilRunEnded(frozen, idOf(location))
  canceller.kill('SIGCONT')
  await untilState(world, location, 'cancelled')
  const { status, body } = await world.client.get(`/1.0/publish/${world.org}/large/url`)
  expect([status, body.fileLocations]).toEqual([404, null])
})
