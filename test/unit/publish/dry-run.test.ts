import { expect, test } from 'vitest'
import { bitReversed, dryRunReport, shareListed } from '../../../shared/publish/dry-run.ts'
import { createTally, TooMuchUnpublishable } from '../../../shared/publish/dry-run-tally.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import { collectIds, type IdList } from '../../../shared/read/internal-ids.ts'

const entry = (id: string, reason = 'has a byte array') => ({
  ...({ what: 'node', label: 'P', type: null, id, element: `the node ${id}`, reason } as const),
})

test.each([
  [1, [0]],
  [2, [0, 1]],
  [5, [0, 4, 2, 1, 3]],
  [8, [0, 4, 2, 6, 1, 5, 3, 7]],
])('%i slices are read in bit-reversed order, each once', (count, order) => {
  expect(bitReversed(count)).toEqual(order)
})

test('of 500 slices the first ones are spread evenly', () => {
  const first = bitReversed(500).slice(0, 16)
  const gaps = first.sort((a, b) => a - b).map((at, index) => (first[index + 1] ?? 500) - at)
  expect([Math.min(...gaps) >= 20, Math.max(...gaps) <= 32]).toEqual([true, true])
})

test('what is unpublishable is counted once, listed up to a hundred, and bounded', () => {
  const tally = createTally(150)
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 150; index++) tally.observer.unpublishable('bolt://a', entry(`n${index}`))
  }
  const { unpublishable } = tally.read()
  expect([unpublishable.count, unpublishable.first.length]).toEqual([150, 100])
  expect(() => tally.observer.unpublishable('bolt://b', entry('n0'))).toThrow(TooMuchUnpublishable)
})

test('long names are cut, rare types are counted together, and large pairs are not shown', () => {
  const tally = createTally(10)
  tally.observer.unpublishable('bolt://a', entry('i'.repeat(10_000), 'r'.repeat(10_000)))
  for (let index = 0; index < 1_500; index++) tally.observer.relationship(`T${index}`)
  tally.observer.relationship('L'.repeat(5_000))
  tally.observer.pair(Buffer.from('x'.repeat(9_000)), 'cleanup', 'about '.repeat(1_000))
  tally.observer.pair(Buffer.from('small'), 'cleanup', 'small')
  const found = tally.read()
  expect(JSON.stringify(found.unpublishable).length).toBeLessThan(1_000)
  expect([Object.keys(found.relationships).length, found.otherRelationships]).toEqual([1_000, 501])
  expect(found.largestPair?.about.length).toBe(201)
  expect(tally.sample()).toEqual(['smallnull}'])
})

test('a projection counts parts as slices and batches make them', () => {
  const tally = createTally(10)
  const read = { subRequests: 10, pairs: 1_000, parts: 1, bytes: 100_000 }
  const seen = { tally, report: createReport().read(), limit: 'time', read } as const
  const { projected } = dryRunReport({ ...seen, subRequests: 105, subRequestsPerSlice: 20, batchSize: 1_500 })
  // Five slices of 2,000 pairs and one of 500.
  expect(projected).toEqual({ pairs: 10_500, parts: 11, bytes: 1_050_000, by: 'sub-requests' })
  const alone = dryRunReport({ ...seen, subRequests: 1, subRequestsPerSlice: 20, batchSize: 1_500 })
  expect(alone.projected).toBeNull()
})

test('a selection that was cut off is projected by its nodes, but not if some requests of the multi select none', () => {
  const ids = collectIds()
  for (let id = 0; id < 100; id++) ids.add(id)
  const selections = [{ subRequest: 0, element: 0, label: 'A', nodes: 400, indexes: [], relationships: {} }]
  const tally = createTally(1_000)
  for (let pair = 0; pair < 300; pair++) tally.observer.pair(Buffer.from('0123456789'), 'cleanup', 'it')
  const common = { tally, report: createReport().read(), limit: 'nodes', subRequests: 2, selections } as const
  const read = { subRequests: 0, ...tally.size() }
  const reported = (listed: (IdList | null)[]) =>
    dryRunReport({
      ...common,
      read,
      subRequestsPerSlice: 20,
      batchSize: 1_000,
      share: shareListed({ listed, selections }),
    }).projected
  expect(reported([ids.list(), null])).toBeNull()
  expect(reported([ids.list(), ids.list()])).toMatchObject({ by: 'nodes', pairs: 600 })
})
