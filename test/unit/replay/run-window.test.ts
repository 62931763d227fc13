import { expect, test } from 'vitest'
import { createRunner } from '../../../client/replay/run/run-batch.ts'
import { runWindow } from '../../../client/replay/run/run-window.ts'
import { createTally } from '../../../client/replay/run/transaction.ts'
import type { Pair, Place } from '../../../packet/parts/parse-part.ts'
import { databaseError, fakeTarget } from './fake-connection.ts'
import { cleanup, nodeDelete, nodeUpsert, relationshipUpsert } from './items.ts'

const { signal } = new AbortController()
const lanes = { lanes: 1, batchRows: 10, inOrder: false }

test('refused pairs do not count as replayed, and their places are reported window by window', async () => {
  const { connection } = fakeTarget((rows) => {
    if (rows.some(([value]) => value === 'bad' || Array.isArray(value)))
      throw databaseError('Neo.ClientError.Statement.TypeError')
    return undefined
  })
  const tally = createTally()
  const handedOver: [Pair, Place][] = []
  const runner = createRunner({ connection, tally, lanes: 1, signal, onRefused: (...one) => void handedOver.push(one) })
  const ids = Array.from({ length: 1_200 }, (_, index) => `p${index}`)
  const items = [nodeUpsert('a', 'P', 1), nodeUpsert('bad', 'P', 2), nodeUpsert('b', 'P', 3), nodeDelete(ids, 4)].flat()
  // Node deletes run first.
  const places = [4, 2].map((pair) => ({ part: 1, pair }))
  expect(await runWindow(items, runner, lanes, tally)).toEqual(places)
  expect(tally).toMatchObject({ rejected: 2, pairs: { nodeUpsert: 2, nodeDelete: 0 } })
  expect(handedOver.map(([pair, place]) => [place.pair, pair.parameters])).toEqual([
    [4, { ids }],
    [2, { id: 'bad' }],
  ])
  expect(await runWindow(nodeUpsert('c'), runner, lanes, tally)).toEqual([])
})

test('in packet order, consecutive pairs of one statement are batches, and no pair overtakes another', async () => {
  const { connection, committed } = fakeTarget(() => undefined)
  const tally = createTally()
  const runner = createRunner({ connection, tally, lanes: 1, signal })
  const items = [
    ...[cleanup('a', 1), nodeUpsert('c', 'P', 3), nodeUpsert('b', 'P', 4), nodeUpsert('a', 'P', 5)].flat(),
    ...[nodeUpsert('d', 'P', 1), relationshipUpsert('a', 'b'), cleanup('b', 3)].flat(),
  ]
  await runWindow(items, runner, { lanes: 1, batchRows: 2, inOrder: true }, tally)
  expect(committed).toEqual([[['a']], [['c'], ['b']], [['a'], ['d']], [['a', 'b']], [['b']]])
  expect(tally.pairs).toMatchObject({ nodeUpsert: 4, relationshipUpsert: 1, cleanup: 2 })
})
