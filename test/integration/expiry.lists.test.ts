import { expect, test } from 'vitest'
import { generationKey, markerKey } from '../../shared/storage/keys.ts'
import { inBatches } from '../../shared/store/batches.ts'
import { fileNumbered } from '../support/storage/many-packets.ts'
import { openTestStorage } from '../support/storage/storage.ts'

test('a page of one name behind hundreds of expired packets takes a few requests', async () => {
  const storage = await openTestStorage()
  const expiresAt = new Date(Date.now() - 1).toISOString()
  const numbers = Array.from({ length: 600 }, (_, number) => number)
  await inBatches(numbers, async (number) => {
    const key = generationKey(`a/${fileNumbered(number)}`, 1)
    // A listing needs no manifest where there is a marker.
    await storage.store.put(key, Buffer.alloc(0))
    await storage.store.put(markerKey(key, 1, number === 599 ? undefined : expiresAt), Buffer.alloc(0))
  })
  const requests: string[] = []
  const { packets } = storage.reopen((operation) => requests.push(operation))
  expect((await packets.page('a', [''], { limit: 1 })).names).toEqual([fileNumbered(599)])
  expect(requests.length).toBeLessThan(30)
})
