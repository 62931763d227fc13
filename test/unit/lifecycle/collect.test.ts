import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collect } from '../../../shared/lifecycle/collect.ts'

function collecting(waitMs: number) {
  const done: number[][] = []
  const collected = collect<number>(async (items) => {
    await delay(1)
    done.push([...items])
  }, waitMs)
  return { collected, done }
}

test('items are passed on together soon after the first, or at once if somebody waits for it', async () => {
  const { collected, done } = collecting(20)
  for (const item of [1, 2, 3]) collected.add(item)
  await expect.poll(() => done).toEqual([[1, 2, 3]])
  collected.add(4)
  await collected.done()
  expect(done).toEqual([[1, 2, 3], [4]])
})

test('no more than 500 items wait, and the work runs once at a time, in order', async () => {
  const { collected, done } = collecting(60_000)
  for (let item = 0; item < 1_200; item++) collected.add(item)
  await collected.done()
  expect(done.map(({ length }) => length)).toEqual([500, 500, 200])
  expect(done.flat()).toEqual(Array.from({ length: 1_200 }, (_, at) => at))
})
