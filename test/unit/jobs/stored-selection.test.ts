import { expect, test } from 'vitest'
import { cutSelection } from '../../../shared/jobs/stored/stored-selection.ts'
import { decodeIds, encodeIds } from '../../../shared/publish/select/listed-ids.ts'
import { type InternalId, listIds } from '../../../shared/read/internal-ids.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

const idsOf = (count: number, from = 0) => listIds(Array.from({ length: count }, (_, index) => from + index))
const all = (list: ReturnType<typeof listIds>) => list.slice(0, list.length)

test('lists of internal ids are read back, also beyond 2^53', () => {
  const ids: InternalId[] = [7, 0, 12_345_678, 8, 2 ** 53 - 1, '9007199254740993', '1152921504606846977']
  expect(all(decodeIds(encodeIds(listIds(ids))))).toEqual(all(listIds(ids)))
  // Neighbouring ids take two bytes each.
  expect(encodeIds(idsOf(10_000)).length).toBeLessThan(20_010)
})

test('a selection is cut into slices of consecutive sub-requests, and one slice stores nothing', async () => {
  const store = openMemoryStore()
  const keys = async () => {
    const found: string[] = []
    for await (const { key } of store.list('acme/')) found.push(key)
    return found
  }
  const owner = { id: 'job', orgName: 'acme' }
  const small = cutSelection(store, owner, 100)
  small.add(0, idsOf(40))
  small.add(1, null)
  expect(small.only()?.map((nodes) => nodes?.length ?? null)).toEqual([40, null])
  expect(await keys()).toEqual([])

  const large = cutSelection(store, owner, 100)
  large.add(0, idsOf(100))
  large.add(0, idsOf(30, 100))
  large.add(1, null)
  large.add(2, idsOf(65, 7))
  large.add(3, idsOf(1))
  expect(large.only()).toBeNull()
  const facts = { indices: {}, treatments: [], report: {} as never }
  const { slices } = await large.store(facts)
  expect(slices.map(({ first, pieces }) => [first, pieces.length])).toEqual([
    [0, 1],
    [0, 3],
    [3, 1],
  ])
  expect(await keys()).toHaveLength(2)

  // A second listing uses the first, and removes its own chunks.
  const second = cutSelection(store, owner, 100)
  second.add(0, idsOf(100))
  second.add(0, idsOf(5, 200))
  expect((await second.store(facts)).run).toBe(large.run)
  expect(await keys()).toHaveLength(2)
})
