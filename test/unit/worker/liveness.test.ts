import { beforeEach, describe, expect, test } from 'vitest'
import { createLiveness } from '../../../worker/liveness.ts'
import { createRunsInProgress } from '../../../worker/runs-in-progress.ts'

let now: number
let runs: { slots: number; count: number; lastStartedAt: number; oldestStartedAt: number | null }
let jobs: number | Error
beforeEach(() => {
  now = 1_000
  runs = { slots: 2, count: 0, lastStartedAt: 0, oldestStartedAt: null }
  jobs = 0
})

const watch = () =>
  createLiveness({
    runs,
    availableJobs: async () => {
      if (jobs instanceof Error) throw jobs
      return jobs
    },
    limitSeconds: 60,
    longestRunSeconds: 100,
    now: () => now,
  })

/** The results of checks ten seconds apart. */
async function looks(count: number, { isStuck }: ReturnType<typeof watch>, between = () => {}) {
  const said: (string | null)[] = []
  for (let look = 0; look < count; look++) {
    said.push(await isStuck())
    now += 10_000
    between()
  }
  return said
}

const idle = 'jobs wait, and this worker has taken none for 60 s'
const alive = (count: number) => Array.from({ length: count }, () => null)

describe('a worker with free slots', () => {
  test('a worker with free slots is stuck if jobs wait for longer than the limit and it takes none', async () => {
    jobs = 1
    expect(await looks(9, watch())).toEqual([...alive(7), idle, idle])
  })

  test('a worker with free slots is alive for any time while no job waits', async () => {
    expect(await looks(20, watch())).toEqual(alive(20))
  })

  test('a worker with free slots is alive while it takes jobs, even if many wait', async () => {
    jobs = 1_000
    expect(await looks(20, watch(), () => (runs.lastStartedAt = now))).toEqual(alive(20))
  })

  test('a worker with free slots is alive again as soon as it takes a job', async () => {
    jobs = 1
    const liveness = watch()
    expect((await looks(8, liveness)).at(-1)).toBe(idle)
    runs.lastStartedAt = now
    expect(await looks(1, liveness)).toEqual([null])
  })

  test('a worker with free slots restarts its timer if no job waited in between', async () => {
    jobs = 1
    const liveness = watch()
    await looks(6, liveness)
    jobs = 0
    await looks(1, liveness)
    jobs = 1
    expect(await looks(8, liveness)).toEqual([...alive(7), idle])
  })

  test('a worker with free slots is alive while the queue is away, because a restart would not help', async () => {
    jobs = new Error('away')
    expect(await looks(20, watch())).toEqual(alive(20))
  })

  test('a worker with free slots is alive while it is stopping and takes no jobs', async () => {
    jobs = 1
    const liveness = watch()
    liveness.stop()
    expect(await looks(20, liveness)).toEqual(alive(20))
  })
})

describe('a worker without free slots', () => {
  test('a worker without free slots is alive while jobs wait, which does not count once a slot is free', async () => {
    Object.assign(runs, { count: 2, oldestStartedAt: 1_000 })
    jobs = 1
    const liveness = watch()
    expect(await looks(10, liveness)).toEqual(alive(10))
    Object.assign(runs, { count: 1, oldestStartedAt: now })
    expect(await looks(8, liveness)).toEqual([...alive(7), idle])
  })

  test('a worker without free slots is stuck if a run exceeds the maximum duration', async () => {
    Object.assign(runs, { count: 2, oldestStartedAt: 1_000 })
    expect((await looks(12, watch())).at(-1)).toBe('a run has not ended within 100 s')
  })
})

test('a worker knows its runs in progress and their start times, even after a failed run', async () => {
  const shown: number[] = []
  const real = createRunsInProgress(3, { slots: { set: () => {} }, busySlots: { set: (count) => shown.push(count) } })
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const started = [real.run(() => first.promise), real.run(() => second.promise)]
  const began = real.oldestStartedAt as number
  expect([real.count, real.lastStartedAt >= began]).toEqual([2, true])
  first.reject(new Error('failed'))
  await expect(started[0]).rejects.toThrow('failed')
  expect([real.count, real.oldestStartedAt === real.lastStartedAt]).toEqual([1, true])
  second.resolve()
  await started[1]
  expect([real.count, real.oldestStartedAt, shown]).toEqual([0, null, [0, 1, 2, 1, 0]])
})
