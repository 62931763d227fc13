import { afterAll, expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { primaryOfSentinels } from '../../support/faults/primary-of-sentinels.ts'
import { replicatedRedis } from '../../support/faults/replicated-redis.ts'
import { silentHosts } from '../../support/faults/silent-hosts.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { createRandom } from '../../support/values/random.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'
import { runClient } from './soak/clients.ts'
import { breakThings, faultsOf } from './soak/faults.ts'
import { openHistory } from './soak/history.ts'
import { openHostile } from './soak/hostile.ts'

const stack = inject('stack')
const usual = { minutes: inject('isLong') ? 2 : 2 / 3, seed: 20_261_121, sentinels: false }
const { minutes, seed, sentinels } = { ...usual, ...inject('soak') }
const clients = 2
const store = await startTcpProxy(new URL(stack.s3.endpoint).host)
afterAll(() => store.close())
const origin = await stuckOrigin()
const heldOrigin = await stuckOrigin()
const hostile = await openHostile()
const silent = await silentHosts()
// By name, because resolving the store's host uses the same thread pool as resolving origins.
const storeByName = `http://localhost:${store.address.split(':')[1]}`

test(`everything accepted finishes under ${Math.round(60 * minutes)} seconds of random faults (seed ${seed})`, {
  timeout: (minutes + 8) * 60_000,
}, async () => {
  const { redis, group } = sentinels ? await primaryOfSentinels() : { redis: await replicatedRedis(), group: null }
  const faults = faultsOf(group, minutes)
  const history = openHistory(seed)
  const env = {
    ...silent.env,
    ...hostile.env,
    S3_ENDPOINT: storeByName,
    S3_PUBLIC_ENDPOINT: stack.s3.endpoint,
    ...(group === null ? {} : { REDIS_URL: group.url }),
    ...overrides({ janitorSeconds: 5 }),
    // An org that fills its share of this queue needs only a few large multis.
    MAX_QUEUED_JOBS: '200',
  }
  const origins = [origin.address, heldOrigin.address, ...hostile.origins, ...silent.origins]
  const world = await openWorld({ workers: 2, redis, origins, env, answersMayFail: true })
  const { service } = world
  const deadline = performance.now() + minutes * 60_000
  const missing = () => Object.keys(faults).filter((name) => history.counts()[name] === undefined)
  const isOver = () => performance.now() > deadline && missing().length === 0
  const shared = { world, history, isOver }
  // The decisions depend only on the seed; their timing relative to the service does not.
  const fleet = { workers: [...service.workers], api: service.api }
  const requestsOf = origin.requestsOf
  const nobodys = await drawVersion(world.origin, stack.neo4j, 1)
  const requestOfNobody = (index: number) => ({
    ...silent.requestsOf(nobodys, index)[0],
    orgName: world.org,
    fileName: 'nobodys',
  })
  const requestOfHeld = () => heldOrigin.requestsOf(nobodys)[0] as object
  const requestOfAnother = () => nobodys.requests[0] as object
  const requests = { requestOfNobody, requestOfHeld, requestOfAnother }
  try {
    await Promise.all([
      breakThings({
        ...shared,
        redis,
        faults,
        origin,
        heldOrigin,
        hostile,
        store,
        fleet,
        ...requests,
        random: createRandom(seed),
      }),
      ...Array.from({ length: clients }, (_, index) =>
        runClient({ ...shared, origin: stack.neo4j, requestsOf, random: createRandom(seed + index + 1) }),
      ),
    ])
    await mustHold(world)
  } finally {
    history.keepLogs(service.logs())
  }
  const counts = history.counts()
  console.log(`soak, seed ${seed}, ${Math.round(60 * minutes)} seconds: ${JSON.stringify(counts)}`)
  expect(counts.succeeded).toBeGreaterThan(0)
  expect(counts.cut).toBeGreaterThan(0)
})
