import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collectOnceIdle } from '../../../shared/lifecycle/start-memory.ts'

const idleMs = 500

function work(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

test('memory is collected once, and not before the program is idle', async () => {
  let collections = 0
  collectOnceIdle(() => collections++, idleMs)
  const begun = performance.now()
  while (performance.now() - begun < 3 * idleMs) {
    work(50)
    await delay(50)
  }
  expect(collections).toBe(0)
  await expect.poll(() => collections).toBe(1)
  await delay(3 * idleMs)
  expect(collections).toBe(1)
})
