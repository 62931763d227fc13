import { expect, test } from 'vitest'
import { stageParts } from '../../../shared/storage/staging.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

test('the parts of a manifest are in the order of their numbers, whichever is stored first', async () => {
  const memory = openMemoryStore()
  const secondIsStored = Promise.withResolvers<void>()
  const store: typeof memory = {
    ...memory,
    async put(key, bytes) {
      if (String(bytes) === 'first') await secondIsStored.promise
      return memory.put(key, bytes)
    },
  }
  const staging = stageParts(store, 'org/f', { jobId: 'job', attempt: 1, compression: 'none' })
  const put = (number: number, text: string) =>
    staging.put({ number, bytes: Buffer.from(text), pairs: number, statements: {} })
  const first = put(1, 'first')
  await put(2, 'second').finally(secondIsStored.resolve)
  await first
  const stored = await Promise.all(staging.manifest().parts.map(({ key }) => store.get(key)))
  expect(stored.map(String)).toEqual(['first', 'second'])
})
