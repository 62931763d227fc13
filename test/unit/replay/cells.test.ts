import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cellsOf, runCells } from '../../../client/replay/order/cells.ts'

interface Row {
  id: number
  buckets: number[]
}

const rowsOf = (buckets: number) =>
  fc
    .array(fc.array(fc.nat(buckets - 1), { minLength: 1, maxLength: 2 }), { maxLength: 60 })
    .map((all) => all.map((of, id): Row => ({ id, buckets: of })))

test('every item runs once, and no two cells that run at the same time share a bucket', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }).chain(rowsOf),
      fc.integer({ min: 1, max: 5 }),
      fc.scheduler(),
      async (rows, lanes, scheduler) => {
        const inside: number[] = []
        const seen: number[] = []
        let [running, most] = [0, 0]
        const cells = cellsOf(rows, ({ buckets }) => buckets)
        const all = runCells(cells, lanes, async ({ buckets, items }) => {
          expect(inside.filter((bucket) => buckets.includes(bucket))).toEqual([])
          inside.push(...buckets)
          most = Math.max(most, ++running)
          await scheduler.schedule(Promise.resolve())
          for (const bucket of buckets) inside.splice(inside.indexOf(bucket), 1)
          running--
          for (const { id, buckets: own } of items) {
            seen.push(id)
            expect(own.every((bucket) => buckets.includes(bucket))).toBe(true)
          }
        })
        await scheduler.waitFor(all)
        expect(seen.toSorted((a, b) => a - b)).toEqual(rows.map(({ id }) => id))
        expect(most).toBeLessThanOrEqual(lanes)
      },
    ),
    { numRuns: 500 },
  )
})

test('lanes work at once where cells have no common bucket', async () => {
  let [running, most] = [0, 0]
  const cells = cellsOf([0, 1, 2, 3, 4, 5, 6, 7], (bucket) => [bucket])
  await runCells(cells, 4, async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
  })
  expect(most).toBe(4)
})

test('a free lane takes the largest cell whose buckets are not in use', async () => {
  const started: string[] = []
  const cells = cellsOf(['ab', 'ab', 'ab', 'ac', 'ac', 'cd'], (text) => [...text].map((it) => it.charCodeAt(0)))
  await runCells(cells, 2, async ({ items }) => {
    started.push(items[0] as string)
    await new Promise((resolve) => setImmediate(resolve))
  })
  expect(started).toEqual(['ab', 'cd', 'ac'])
})

test('after a failure no cell starts, running cells end, and the failure is reported', async () => {
  const ended: number[] = []
  const cells = cellsOf([0, 1, 2, 3], (bucket) => [bucket])
  const all = runCells(cells, 2, async ({ items: [item] }) => {
    if (item === 0) throw new Error('the first')
    await new Promise((resolve) => setTimeout(resolve, 5))
    ended.push(item as number)
  })
  await expect(all).rejects.toThrow('the first')
  expect(ended).toEqual([1])
})
