import { expect, test } from 'vitest'
import { storeOrg } from '../../support/storage/listing-model.ts'
import { testPages } from './suites/pages.ts'

testPages(60)

// Found with seed 9715050.
test('a name with an empty segment is in the whole listing, and no prefix finds it', async () => {
  const { packets } = await storeOrg('a', { packets: [], foreign: ['/Part1of2', 'b//f'] })
  expect(await packets.list('a', [''])).toEqual(['/Part1of2', 'b//f'])
  expect(await packets.list('a', ['/', '/Part', 'b//'])).toEqual([])
  expect(await packets.list('a', ['b/'])).toEqual(['b//f'])
})
