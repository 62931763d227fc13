import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { type Misbehaviour, startS3Proxy } from '../../support/faults/s3-proxy.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stack = inject('stack')
const proxy = await startS3Proxy(stack.s3.endpoint)
const setting = { S3_ENDPOINT: proxy.url, ...overrides({ storeTimeoutSeconds: 3 }), WORKER_CONCURRENCY: '6' }

const refusals = [
  { status: 500, code: 'InternalError' },
  { status: 503, code: 'SlowDown' },
]
const oneOfThem = (): Misbehaviour => refusals[Date.now() % 2] as Misbehaviour

/** Fails in every other half second, counted from the first request. */
function inBursts(): Misbehaviour {
  firstBurstAt ??= performance.now()
  return (performance.now() - firstBurstAt) % 1_000 < 500 ? oneOfThem() : null
}
let firstBurstAt: number | null = null

/** Faults by packet name, and the number of affected requests: more than are retried before a job is delayed. */
const faults: Record<string, { times: number; fault: () => Misbehaviour }> = {
  slow: { times: Number.POSITIVE_INFINITY, fault: () => ({ delayMs: 500 }) },
  bursts: { times: Number.POSITIVE_INFINITY, fault: inBursts },
  failing: { times: 8, fault: oneOfThem },
  hanging: { times: 3, fault: () => 'hang' },
  refusing: { times: 4, fault: () => ({ status: 403, code: 'AccessDenied' }) },
  bucketless: { times: 4, fault: () => ({ status: 404, code: 'NoSuchBucket' }) },
}

test('a store that is slow or fails in bursts delays a job, and a longer outage is waited out', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  await world.service.startWorker(setting)
  const version = await drawVersion(world.origin, stack.neo4j, 30)
  const met = new Map(Object.keys(faults).map((name) => [name, 0]))
  proxy.misbehave(({ path }) => {
    for (const [name, { times, fault }] of Object.entries(faults)) {
      const before = met.get(name) ?? 0
      if (!path.includes(name) || before >= times) continue
      const misbehaviour = fault()
      if (misbehaviour !== null) met.set(name, before + 1)
      return misbehaviour
    }
    return null
  })
  const jobs = await Promise.all(Object.keys(faults).map((fileName) => world.publish({ version, fileName })))
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.fileName, end?.state])).toEqual(jobs.map(({ fileName }) => [fileName, 'succeeded']))
  expect(ends.find((end) => end?.fileName === 'slow')?.attempt).toBe(1)
  for (const [name, { times }] of Object.entries(faults)) {
    if (Number.isFinite(times)) expect([name, met.get(name)]).toEqual([name, times])
    else expect(met.get(name)).toBeGreaterThan(0)
  }
  await mustHold(world)
})

test('a job whose parts alone are refused fails as storeAway after its attempts; one whose commit hangs continues', {
  timeout: 240_000,
}, async () => {
  proxy.behave()
  const world = await openWorld({ times: lastingLocks })
  const worker = await world.service.startWorker(setting)
  const version = await drawVersion(world.origin, stack.neo4j, 30)
  let hung = 0
  proxy.misbehave(({ method, path }) => {
    if (method !== 'PUT') return null
    if (path.includes('/.parts/refused/')) return { status: 403, code: 'AccessDenied' }
    return path.includes('/.generations/late/') && hung++ === 0 ? 'hang' : null
  })
  const [refused, late] = await Promise.all(['refused', 'late'].map((fileName) => world.publish({ version, fileName })))
  const end = await refused?.done
  expect([end?.state, end?.attempt, end?.error]).toEqual([
    'failed',
    3,
    { status: 503, code: 'storeAway', message: expect.stringContaining('refuses the request (AccessDenied)') },
  ])
  expect((await late?.done)?.state).toBe('succeeded')
  expect(hung).toBeGreaterThan(1)
  expect(worker.hasExited()).toBe(false)
  await mustHold(world)
})
