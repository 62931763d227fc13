import { expect, test } from 'vitest'
import { type Batch, batchesOf } from '../../../client/replay/order/batches.ts'
import type { PackedItem } from '../../../client/replay/order/packed.ts'
import { createRunner } from '../../../client/replay/run/run-batch.ts'
import { createTally } from '../../../client/replay/run/transaction.ts'
import { type FakeTarget, fakeTarget } from './fake-connection.ts'
import { nodeUpsert } from './items.ts'

const { signal } = new AbortController()
const runnerOf = ({ connection }: FakeTarget, lanes: number) =>
  createRunner({ connection, tally: createTally(), lanes, signal })
const upsert = (id: string) => batchesOf(nodeUpsert(id), 1)[0] as Batch<PackedItem>

test.each([
  [1, 1],
  [4, 2],
  [5, 3],
])('of %i lanes, %i commit at once', async (lanes, most) => {
  const target = fakeTarget(() => undefined)
  const { runBatch } = runnerOf(target, lanes)
  await Promise.all(Array.from({ length: 2 * lanes }, (_, at) => runBatch(upsert(`p${at}`))))
  expect(target.mostCommits()).toBe(most)
  expect(target.committed).toHaveLength(2 * lanes)
})

test('a transaction does not wait for ever to commit, because another client may wait for its locks', async () => {
  const second = Promise.withResolvers<void>()
  const target = fakeTarget(
    () => undefined,
    async ([row]) => (row?.[0] === 'p1' ? second.promise : second.resolve()),
  )
  const { runBatch } = runnerOf(target, 2)
  await Promise.all([runBatch(upsert('p1')), runBatch(upsert('p2'))])
  expect(target.committed).toEqual([[['p2']], [['p1']]])
}, 10_000)
