import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { queueName, queuePrefix } from '../../../shared/jobs/queue.ts'
import { createRandom } from '../../support/random.ts'
import { shuffled } from '../../support/shuffle.ts'
import { until } from '../support/processes.ts'
import type { ReplicatedRedis } from '../support/replicated-redis.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import type { World } from '../support/world.ts'
import type { History } from './history.ts'

export interface Breakable {
  world: World
  redis: ReplicatedRedis
  origin: TcpProxy
  store: TcpProxy
  /** The processes that run now. */
  fleet: { workers: RunningProcess[]; api: RunningProcess }
  /** A request for what is at a host whose name is never resolved. */
  requestOfNobody(index: number): object
  random(): number
  history: History
  isOver(): boolean
}

/** One fault from its beginning to its end: what was broken works again afterwards. */
type Fault = (broken: Breakable, seconds: (most: number) => Promise<void>) => Promise<void>

const workersWanted = 2

/** Ends a worker some way and starts another, before or after: rolling updates do both. */
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

/** Redis forgets what it learned from `knownAt` until now. Frozen, it accepts nothing in the moment before it is taken away. */
async function rollBack({ redis, world }: Breakable, knownAt: number, takeAway: () => Promise<void>) {
  redis.freeze()
  world.rollbacks.add(knownAt)
  await takeAway()
  redis.wake()
}

const waitsForWaitingMs = 3_000

/**
 * Does something at a moment when a publish is accepted and nobody has begun it, as there always is where much is to be
 * done. When Redis forgets that it was begun, it is begun once more beside itself.
 */
async function whileOneWaits<Result>({ fleet, world }: Breakable, work: () => Promise<Result>): Promise<Result> {
  const { workers } = fleet
  const queue = `${queuePrefix}:${queueName}`
  const waits = async () =>
    (await world.redis.llen(`${queue}:wait`)) + (await world.redis.zcard(`${queue}:prioritized`)) > 0
  for (const worker of workers) worker.kill('SIGSTOP')
  try {
    // Where every client waits for its own publishes none comes.
    await until('a publish waits', waits, waitsForWaitingMs).catch(() => {})
    return await work()
  } finally {
    for (const worker of workers) worker.kill('SIGCONT')
  }
}

const silentPublishes = 12
const answersWithinMs = 10_000

const faults: Record<string, Fault> = {
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
    // Of their own: how often they are asked depends on what passes.
    const chunks = createRandom(random() * 2 ** 32)
    const next = () => 1 + Math.floor(chunks() * 40)
    let left = next()
    redis.cutWhere(() => {
      if (--left > 0) return false
      left = next()
      history.note('cut')
      return true
    })
    await seconds(3)
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
    // Their clients have an answer; the lookups may go on. The store's own name is looked up for new connections.
    store.refuse(true)
    store.refuse(false)
    await until('the API answers others while names stay unanswered', lists, answersWithinMs)
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
  async 'store hangs'({ store }, seconds) {
    store.hold()
    await seconds(5)
    store.letGo()
  },
}

/** What `breakThings` does, by name. */
export const faultNames: readonly string[] = Object.keys(faults)

/** Breaks one thing after another, each for a while, all of them before one again, until it is over; everything works then. */
export async function breakThings(broken: Breakable): Promise<void> {
  const { random, history, isOver } = broken
  const seconds = async (most: number) => {
    await delay(random() * most * 1_000)
  }
  let names: string[] = []
  while (!isOver()) {
    await seconds(3)
    if (names.length === 0) names = shuffled(faultNames, random() * 2 ** 32)
    const name = names.pop() as string
    history.note(name)
    await faults[name]?.(broken, seconds)
    history.note('mended', { name })
  }
}
