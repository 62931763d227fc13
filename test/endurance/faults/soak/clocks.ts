import { queueKey } from '../../../../shared/redis/keys.ts'
import type { Fault } from './faults.ts'

const preload = import.meta.resolve('../../../support/faults/shifted-clock.ts')
const minutes = 60_000
/** As far as clocks may be apart: the store refuses requests of a process whose clock is wrong by 15 minutes. */
const farthestMs = 10 * minutes

/** Clocks that are wrong for a while: a worker's, which computes delays, and Redis's, by which its keys expire. */
export const clockFaults: Record<string, Fault> = {
  async 'clock of a worker wrong'({ world, fleet, random }, seconds) {
    const shift = Math.round((random() < 0.5 ? -1 : 1) * (1 + 9 * random()) * minutes)
    const env = { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(Math.min(shift, farthestMs)) }
    const wrong = await world.service.startWorker(env)
    fleet.workers.push(wrong)
    await seconds(8)
    fleet.workers = fleet.workers.filter((worker) => worker !== wrong)
    wrong.kill('SIGTERM')
  },

  // Redis keeps an expiry as a moment, so after its clock was set back every key outlives its time by the jump.
  async 'clock of redis set back'({ world, fleet }, seconds) {
    const { redis } = world
    const [dead] = fleet.workers
    for (const key of [queueKey('stalled-check'), ...(await redis.keys(queueKey('*:lock')))]) {
      const left = await redis.pttl(key)
      if (left > 0) await redis.pexpire(key, left + farthestMs)
    }
    fleet.workers = fleet.workers.filter((worker) => worker !== dead)
    dead?.kill('SIGKILL')
    fleet.workers.push(await world.service.startWorker())
    await seconds(3)
  },
}
