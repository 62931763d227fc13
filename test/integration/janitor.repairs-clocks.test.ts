import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import { expect, test, vi } from 'vitest'
import { createRequestLimit } from '../../shared/auth/request-limit.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { Releases } from '../../shared/lifecycle/releases.ts'
import { callbackQueueName } from '../../shared/queue/callbacks.ts'
import { readFleet } from '../../shared/queue/fleet.ts'
import {
  callbacksDueKey,
  dutyKey,
  openJobsKey,
  queueKey,
  queueName,
  queuePrefix,
  stalePlainFilesKey,
  sweptKey,
  workersKey,
} from '../../shared/redis/keys.ts'
import { consumeJobs } from '../../worker/consume.ts'
import { startJanitor } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'

const { context } = await ownWorker({ WORKER_LOCK_SECONDS: '2' })
const { redis, records, queue, config } = context
const [minute, jump] = [60_000, 600_000]

/** A job as the API leaves it: recorded and queued. */
async function queued(): Promise<string> {
  const id = randomUUID()
  const order = orderOf({ batchSize: 1, force: false })
  const job = { id, kind: 'publish', orgName: 'org', fileName: id, order } as const
  await records.create({ ...job, subRequests: 1 })
  await queue.add(job)
  return id
}

/** A worker that takes one delivery and dies. */
async function takenByDead(id: string) {
  const dead = new Worker(queueName, null, { connection: redis, prefix: queuePrefix, skipStalledCheck: true })
  const delivery = await dead.getNextJob('dead')
  await dead.close()
  expect(delivery?.id).toBe(id)
  return delivery
}

/** Runs the janitor, and perhaps a whole worker, until `work` is done. */
async function during(start: (releases: Releases) => unknown, work: () => Promise<void>) {
  const releases = new Releases(context.log)
  await start(releases)
  try {
    await work()
  } finally {
    await releases.dispose()
  }
}
const janitor = (releases: Releases) => startJanitor(context, releases)
const worker = async (releases: Releases) => {
  janitor(releases)
  await consumeJobs(context, releases)
}
const soon = { timeout: 30_000 }
const stateOf = async (id: string) => (await records.read(id))?.state

test('a job of a dead worker runs again soon after the clock of Redis was set back by ten minutes', async () => {
  const id = await queued()
  await takenByDead(id)
  // Expiries are moments, so the mark and the lock now last as much longer.
  await redis.set(queueKey('stalled-check'), '1', 'PX', jump)
  await redis.pexpire(queueKey(`${id}:lock`), jump)
  await during(worker, () => expect.poll(() => stateOf(id), soon).toBe('failed'))
})

test.each([jump, 30 * 24 * 60 * minute])(
  'a job that a worker delayed by a clock %i ms ahead runs soon',
  async (ahead) => {
    const id = await queued()
    const delivery = await takenByDead(id)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + ahead)
    await delivery?.moveToDelayed(Date.now() + config.worker.retrySeconds * 1_000, 'dead')
    clock.mockRestore()
    expect(await queue.queue.getJobState(id)).toBe('delayed')
    await during(worker, () => expect.poll(() => stateOf(id), soon).toBe('failed'))
  },
)

test('a job that is overdue by the clock of Redis is promoted, and one whose pause is right is not', async () => {
  const [late, right] = [await queued(), await queued()]
  for (const id of [late, right]) {
    const delivery = await takenByDead(id)
    await delivery?.moveToDelayed(Date.now() + 4_000, 'dead')
  }
  await redis.zadd(queueKey('delayed'), (Date.now() - minute) * 0x1000, late)
  await during(janitor, async () => {
    await expect.poll(() => queue.queue.getJobState(late), soon).toBe('prioritized')
    expect(await queue.queue.getJobState(right)).toBe('delayed')
  })
  for (const id of [late, right]) await queue.queue.remove(id)
})

test('duties that a dead janitor held, and sweeps, are not postponed when the clock of Redis is set back', async () => {
  await redis.set(dutyKey('rescue'), 'dead', 'PX', jump)
  await redis.set(sweptKey, 'then', 'PX', 24 * 60 * minute + jump)
  const mark = `${queuePrefix}:${callbackQueueName}:stalled-check`
  await redis.set(mark, '1', 'PX', jump)
  await during(janitor, async () => {
    await expect.poll(() => redis.pttl(mark), soon).toBeLessThanOrEqual(config.worker.stalledSeconds * 1_000)
    expect(await redis.pttl(sweptKey)).toBeLessThanOrEqual(24 * 60 * minute)
  })
})

test.each([
  ['jobs', openJobsKey],
  ['plain files', stalePlainFilesKey],
  ['callbacks', callbacksDueKey],
])('times of %s from before the clock of Redis was set back count from now', async (_what, key) => {
  const [young, future] = [`org/${randomUUID()}`, `org/${randomUUID()}`]
  await redis.zadd(key, Date.now(), young, Date.now() + jump, future)
  const before = await redis.zscore(key, young)
  await during(janitor, () =>
    expect.poll(async () => Number(await redis.zscore(key, future)) - Date.now(), soon).toBeLessThan(minute),
  )
  expect(await redis.zscore(key, young)).toBe(before)
  await redis.zrem(key, young, future)
})

test('a worker that reported before the clock of Redis was set back counts no longer', async () => {
  const before = await readFleet(redis)
  await redis.hset(workersKey, 'dead', `${Date.now() + jump} 8 {"org":8}`)
  expect(await readFleet(redis)).toEqual(before)
})

test('a token waits for a minute at most, also after the clock of Redis was set back', async () => {
  await redis.set('packets:requests:ann', 3, 'PX', jump)
  const refused = await createRequestLimit(redis, 2)('ann').catch((error) => error)
  expect([refused.code, Number(refused.headers['Retry-After']) <= 60]).toEqual(['tooManyRequests', true])
})
