import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { generationKey } from '../../../shared/storage/keys.ts'
import { voided } from '../../../shared/storage/manifest.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket } from '../../support/storage/stored-packets.ts'

// One that names itself would be followed forever.
test.each([3, 2])('a void generation 2 over generation %i is unreadable', async (over) => {
  const store = openMemoryStore()
  for (const content of ['1', '2', '3']) await commitPacket({ ...storageOn(store), store }, 'a/f', [content])
  await store.put(generationKey('a/f', 2), Buffer.from(JSON.stringify({ ...voided(randomUUID()), over })))
  const cause = new Error(`the manifest ${generationKey('a/f', 2)} is over ${over}`)
  await expect(storageOn(store).generations.seenAt('a/f', 2)).rejects.toMatchObject({ code: 'packetDamaged', cause })
})
