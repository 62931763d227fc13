import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { dutyKey, sweptKey } from '../../../shared/redis/keys.ts'
import { createWorkerContext, type WorkerContext } from '../../../worker/context.ts'
import { startJanitor } from '../../../worker/janitor.ts'
import { ownWorker } from '../../support/programs/own-worker.ts'

const { config } = (await ownWorker()).context
const log = pino({ level: 'silent' })

test('only one of several janitors works at a time, and another takes over when it stops', async () => {
  const releases = new Releases(log)
  onTestFinished(() => releases.dispose())
  const context = await createWorkerContext(config, log, releases)
  await context.redis.set(sweptKey, 'lately')
  let [atWork, most, rounds, isAlone] = [0, 0, 0, false]
  const asking: (() => number)[] = []
  /** A janitor whose rounds last until both others have been refused the duty. */
  function watched(own: WorkerContext): WorkerContext {
    const asked = vi.spyOn(own.redis, 'set')
    const isRefused = ([key]: unknown[], call: number) =>
      key === dutyKey('rescue') && asked.mock.settledResults[call]?.value === null
    asking.push(() => asked.mock.calls.filter(isRefused).length)
    async function openBefore() {
      most = Math.max(most, ++atWork)
      const before = asking.map((refusals) => refusals())
      const haveAsked = () => asking.filter((refusals, index) => refusals() > (before[index] ?? 0)).length
      await expect.poll(() => isAlone || haveAsked() === 2, { timeout: 20_000, interval: 20 }).toBe(true)
      atWork--
      rounds++
      return []
    }
    // A pause that outlasts the lock, which is twice as long, would let a second one in.
    const worker = { ...own.config.worker, janitorSeconds: 4 }
    return { ...own, config: { ...own.config, worker }, records: { ...own.records, openBefore } }
  }
  const others = [new Releases(log), new Releases(log)]
  for (const each of others) startJanitor(watched(await createWorkerContext(config, log, each)), each)
  startJanitor(watched(context), releases)
  await expect.poll(() => rounds, { timeout: 40_000 }).toBeGreaterThanOrEqual(2)
  isAlone = true
  await Promise.all(others.map((each) => each.dispose()))
  const before = rounds
  await expect.poll(() => rounds, { timeout: 30_000 }).toBeGreaterThan(before)
  expect(most).toBe(1)
})
