import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunningProcess } from '../../../../dev/stack/processes.ts'
import { queueName, queuePrefix } from '../../../../shared/redis/keys.ts'
import { until } from '../../../support/faults/processes.ts'
import type { ReplicatedRedis } from '../../../support/faults/replicated-redis.ts'
import type { SentinelGroup } from '../../../support/faults/sentinel-group.ts'
import type { TcpProxy } from '../../../support/faults/tcp-proxy.ts'
import { createRandom } from '../../../support/values/random.ts'
import { shuffled } from '../../../support/values/shuffle.ts'
import type { World } from '../../../support/worlds/world.ts'
import { attacks } from './attacks.ts'
import { clockFaults } from './clocks.ts'
import { failoverFaults, mayFailOver } from './failovers.ts'
import type { History } from './history.ts'
import type { Hostile } from './hostile.ts'
import { redisFaults } from './redis.ts'

export interface Breakable {
  world: World
  redis: ReplicatedRedis
  faults: Record<string, Fault>
  origin: TcpProxy
  store: TcpProxy
  /** The processes that currently run. */
  fleet: { workers: RunningProcess[]; api: RunningProcess }
  /** An origin of its own, whose traffic is held on demand. */
  heldOrigin: TcpProxy
  requestOfHeld(): object
  hostile: Hostile
  /** A request for an origin that no fault touches. */
  requestOfAnother(): object
  /** A request for an origin whose host name never resolves. */
  requestOfNobody(index: number): object
  random(): number
  history: History
  isOver(): boolean
}

/** One fault from start to finish; the service is repaired afterwards. */
export type Fault = (broken: Breakable, seconds: (most: number) => Promise<void>) => Promise<void>

const workersWanted = 2
// Like the locks of the workers, which last 3 seconds instead of 10.
const shortened = 0.4

/** Ends a worker and starts another before or after, like a rolling update. */
async function replaceWorker(broken: Breakable, seconds: (most: number) => Promise<void>, signal: NodeJS.Signals) {
  const { fleet, world, random } = broken
  const start = async () => fleet.workers.push(await world.service.startWorker())
  const worker = anyWorker(broken)
  fleet.workers = fleet.workers.filter((other) => other !== worker)
  if (random() < 0.5) await start()
  worker.kill(signal)
  await seconds(3)
  while (fleet.workers.length < workersWanted) await start()
}

const oneOf = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T
const anyWorker = ({ fleet, random }: Breakable): RunningProcess => oneOf(fleet.workers, random)

/** Redis forgets all it learned after `knownAt`. It is frozen first, so it accepts nothing while it is replaced. */
async function rollBack({ redis, world }: Breakable, knownAt: number, takeAway: () => Promise<void>) {
  redis.freeze()
  world.rollbacks.add(knownAt)
  await takeAway()
  redis.wake()
}

const waitsForWaitingMs = 3_000

/**
 * Does something while an accepted publish is still queued, which is always the case under load. When Redis then
 * forgets that a worker started the publish, a second run starts in addition to the first.
 */
async function whileOneWaits<Result>({ fleet, world }: Breakable, work: () => Promise<Result>): Promise<Result> {
  const { workers } = fleet
  const queue = `${queuePrefix}:${queueName}`
  const waits = async () =>
    (await world.redis.llen(`${queue}:wait`)) + (await world.redis.zcard(`${queue}:prioritized`)) > 0
  for (const worker of workers) worker.kill('SIGSTOP')
  try {
    // No publish is queued while every client waits for its own.
    await until('a publish waits', waits, waitsForWaitingMs).catch(() => {})
    return await work()
  } finally {
    for (const worker of workers) worker.kill('SIGCONT')
  }
}

const silentPublishes = 12
// Sooner than a lookup that occupies a thread ends.
const answersWithinMs = 20_000

const faults: Record<string, Fault> = {
  ...attacks,
  ...clockFaults,
  ...redisFaults,
  'worker killed': (broken, seconds) => replaceWorker(broken, seconds, 'SIGKILL'),
  'worker told to stop': (broken, seconds) => replaceWorker(broken, seconds, 'SIGTERM'),
  async 'worker frozen'(broken, seconds) {
    const worker = anyWorker(broken)
    worker.kill('SIGSTOP')
    await seconds(20)
    worker.kill('SIGCONT')
  },
  async 'api killed'({ world, fleet }, seconds) {
    const { api, apiUrl } = await world.service.startApi()
    fleet.api.kill('SIGKILL')
    await seconds(1)
    fleet.api = api
    world.useApi(apiUrl)
  },
  async 'redis frozen'({ redis }, seconds) {
    redis.freeze()
    await seconds(6)
    redis.wake()
  },
  async 'redis killed'({ redis }, seconds) {
    await redis.kill()
    await seconds(2)
    await redis.start('as it was')
  },
  async 'redis rolled back'(broken, seconds) {
    const { redis } = broken
    const knownAt = performance.now()
    await whileOneWaits(broken, redis.snapshot)
    await seconds(4)
    await rollBack(broken, knownAt, async () => {
      await redis.kill()
      await seconds(1)
      await redis.start('from the snapshot')
    })
  },
  async 'replica promoted'(broken, seconds) {
    const knownAt = performance.now()
    const replica = await whileOneWaits(broken, broken.redis.replica)
    await seconds(4)
    await rollBack(broken, knownAt, replica.promote)
  },
  async 'redis connections cut'({ redis, random, history }, seconds) {
    // A separate generator, because the number of draws depends on the traffic.
    const chunks = createRandom(random() * 2 ** 32)
    const next = () => 1 + Math.floor(chunks() * 40)
    let left = next()
    let hasCut = false
    redis.cutWhere(() => {
      if (--left > 0) return false
      left = next()
      hasCut = true
      history.note('cut')
      return true
    })
    await seconds(3)
    await until('a connection is cut', () => hasCut)
    redis.cutWhere(null)
  },
  async 'names unanswered'({ world, store, requestOfNobody }) {
    const publish = (_: unknown, index: number) =>
      world.client.post('/1.0/publish/', requestOfNobody(index)).then(({ status }) => status)
    const publishes = Array.from({ length: silentPublishes }, publish)
    const lists = () =>
      world.client.get(`/1.0/publish/${world.org}`).then(
        ({ status }) => status === 200,
        () => false,
      )
    for (const status of await Promise.all(publishes)) expect([422, 429, 502, 503]).toContain(status)
    // The clients have their answers, but lookups may still be running. New connections must resolve the store's name.
    store.refuse(true)
    store.refuse(false)
    await until('the API answers others while names stay unanswered', lists, answersWithinMs)
  },
  async 'queue paused'({ world }, seconds) {
    const path = (to: string) => world.client.post(`/1.0/ops/${to}`).then(({ status }) => status)
    await path('pause')
    await seconds(4)
    await until('the queue is resumed', async () => (await path('resume')) === 200)
  },
  async 'origin drips'({ origin }, seconds) {
    origin.drip(true)
    await seconds(6)
    origin.drip(false)
  },
  async 'origin refuses'({ origin }, seconds) {
    origin.refuse(true)
    await seconds(2)
    origin.refuse(false)
  },
  async 'origin hangs'({ origin }, seconds) {
    origin.hold()
    await seconds(6)
    origin.letGo()
  },
  async 'store refuses'({ store }, seconds) {
    store.refuse(true)
    await seconds(2)
    store.refuse(false)
  },
  async 'store drips'({ store }, seconds) {
    store.drip(true)
    await seconds(6)
    store.drip(false)
  },
  async 'store hangs'({ store }, seconds) {
    store.hold()
    await seconds(5)
    store.letGo()
  },
}

/** Sentinels decide which replica takes over, and none of them goes back to an earlier state. */
const ofOneRedis = ['redis rolled back', 'replica promoted', ...Object.keys(redisFaults)]

/** In the ring, a test of its own moves Redis. */
const ofLongRuns = ['redis moves behind its address']

/** The faults of a service whose Redis is alone (null) or the primary of a group. */
export function faultsOf(group: SentinelGroup | null, minutes: number): Record<string, Fault> {
  if (group === null) {
    return Object.fromEntries(Object.entries(faults).filter(([name]) => minutes >= 1 || !ofLongRuns.includes(name)))
  }
  const kept = Object.entries(faults).filter(([name]) => !ofOneRedis.includes(name))
  const ofGroup = ([name, fault]: [string, Fault]) => [
    name,
    name.startsWith('redis ') ? mayFailOver(group, fault) : fault,
  ]
  return { ...Object.fromEntries(kept.map(ofGroup)), ...failoverFaults(group) }
}

/** The API tries to connect at least every two seconds; the rest is for a busy machine. */
const recoversWithinMs = 20_000

/**
 * Whether the API has all its connections back: those for reads, and the one for changes. Before that it refuses what a
 * later fault demands of it, and the fault would seem to have caused that.
 */
async function hasRecovered({ client }: World): Promise<boolean> {
  const answers = [await client.get('/1.0/publish/status'), await client.post('/1.0/ops/resume')]
  return answers.every(({ status }) => status === 200)
}

/** Injects faults one after another until time is up, each once per cycle; everything is repaired at the end. */
export async function breakThings(broken: Breakable): Promise<void> {
  const { random, history, isOver, faults } = broken
  const seconds = async (most: number) => {
    await delay(random() * most * shortened * 1_000)
  }
  let names: string[] = []
  while (!isOver()) {
    await seconds(3)
    if (names.length === 0) names = shuffled(Object.keys(faults), random() * 2 ** 32)
    const name = names.pop() as string
    history.note(name)
    await faults[name]?.(broken, seconds)
    history.note('mended', { name })
    await until(`the API recovers after '${name}'`, () => hasRecovered(broken.world), recoversWithinMs)
  }
}
