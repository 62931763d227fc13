import { expect, test } from 'vitest'
import { countRelationships, findDuplicates, readZoned } from '../../../shared/read/queries.ts'
import { createRelationshipSchema } from '../../../shared/read/schema.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'

const broke = expect.objectContaining({ status: 502, code: 'originBroke' })

/** An origin that sends one row so often that only a reader without a bound takes them all. */
const endless = (row: readonly unknown[], most = 100) =>
  answeringOrigin(function* () {
    for (let count = 0; count < most; count++) yield row
  })

const knows = { type: 'KNOWS', direction: 'out' as const }

test('an origin that counts more nodes than it was asked for is refused', async () => {
  await expect(countRelationships(endless([1n, 5n]), [1, 2], knows)).rejects.toThrow(broke)
})

test('an origin that sends more duplicates than it was asked for is refused', async () => {
  await expect(findDuplicates(endless(['a']), 'Person', 'id', ['a', 'b'])).rejects.toThrow(broke)
})

test('an origin that sends more relationship types than any graph has is refused', async () => {
  await expect(createRelationshipSchema(endless(['KNOWS'], 200_001)).types()).rejects.toThrow(broke)
})

test('offsets are read from the first row alone, and not from one of another length', async () => {
  const offsets = async (value: unknown) =>
    (await readZoned(endless([value, [3_600n, 7_200n]]), 'node', 1, 'at'))?.offsets
  expect(await offsets(['a', 'b'])).toEqual([3_600, 7_200])
  expect(await offsets(['a'])).toEqual([])
  expect(await offsets('a')).toEqual([])
  expect(await readZoned(endless([null, null]), 'node', 1, 'at')).toMatchObject({ isAbsent: true, offsets: [] })
})
