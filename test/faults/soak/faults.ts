import { setTimeout as delay } from 'node:timers/promises'
import type { RunningProcess } from '../../stack/processes.ts'
import type { OwnRedis } from '../support/own-redis.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import type { World } from '../support/world.ts'
import type { History } from './history.ts'

export interface Breakable {
  world: World
  redis: OwnRedis
  origin: TcpProxy
  store: TcpProxy
  /** The processes that run now. */
  fleet: { workers: RunningProcess[]; api: RunningProcess }
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

/** Breaks one thing after another, each for a while, until it is over; everything works then. */
export async function breakThings(broken: Breakable): Promise<void> {
  const { random, history, isOver } = broken
  const seconds = async (most: number) => {
    await delay(random() * most * 1_000)
  }
  const names = Object.keys(faults)
  while (!isOver()) {
    await seconds(3)
    const name = oneOf(names, random)
    history.note(name)
    await faults[name]?.(broken, seconds)
    history.note('mended', { name })
  }
}
