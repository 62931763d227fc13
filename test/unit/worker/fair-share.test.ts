import { afterEach, expect, test } from 'vitest'
import type { RunsByTenant } from '../../../shared/queue/fleet.ts'
import { handOver, startFairShare } from '../../../worker/fair-share.ts'

const open: { stop(): Promise<void> }[] = []
afterEach(() => Promise.all(open.splice(0).map((one) => one.stop())))

/** @returns the share of a worker with two slots, and what it reported last. */
function openShare(alonePatienceMs?: number, isPaused = async () => false) {
  let held: RunsByTenant = {}
  const report = async (runs: RunsByTenant) => {
    held = runs
    return null
  }
  const share = startFairShare(
    { slots: 2, report, mayStart: async () => true, leave: async () => {}, isPaused },
    alonePatienceMs,
  )
  open.push(share)
  return { share, held: () => held }
}

/** A run that ends when the test ends it, or when it is handed back. */
function work() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<AbortSignal>()
  const run = (signal: AbortSignal) => {
    begun.resolve(signal)
    signal.addEventListener('abort', () => resolve())
    return promise
  }
  return { run, end: resolve, begun: begun.promise }
}

test('a run that must be alone waits for the others, no other begins meanwhile, and it takes all slots', async () => {
  const { share, held } = openShare()
  const [first, alone, refused, later] = [work(), work(), work(), work()]
  const firstDone = share.run('a', false, first.run)
  await first.begun
  let hasBegun = false
  void alone.begun.then(() => {
    hasBegun = true
  })
  const aloneDone = share.run('b', true, alone.run)
  expect(await share.run('a', false, refused.run)).toBe(false)
  expect(hasBegun).toBe(false)
  first.end()
  await firstDone
  await alone.begun
  expect(held()).toEqual({ b: 2 })
  expect(await share.run('a', false, refused.run)).toBe(false)
  expect(await share.run('a', true, refused.run)).toBe(false)
  alone.end()
  expect(await aloneDone).toBe(true)
  const laterDone = share.run('a', false, later.run)
  later.end()
  expect(await laterDone).toBe(true)
})

test('runs that go on for too long are handed back to a run that must be alone', async () => {
  const { share } = openShare(1)
  const [first, alone] = [work(), work()]
  const firstDone = share.run('a', false, first.run)
  const signal = await first.begun
  const aloneDone = share.run('b', true, alone.run)
  await firstDone
  expect(signal.reason).toBe(handOver)
  expect((await alone.begun).aborted).toBe(false)
  alone.end()
  await aloneDone
})

test('while the queue is paused no run is handed back, and one that must be alone does not begin', async () => {
  const { share } = openShare(1, async () => true)
  const [first, alone] = [work(), work()]
  const firstDone = share.run('a', false, first.run)
  const signal = await first.begun
  const aloneDone = share.run('b', true, alone.run)
  await new Promise((later) => setTimeout(later, 500))
  expect(signal.aborted).toBe(false)
  first.end()
  await firstDone
  expect(await aloneDone).toBe(false)
})
