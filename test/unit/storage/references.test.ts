import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createReferences } from '../../../shared/storage/references.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { stagePacket } from '../../support/storage/stored-packets.ts'

test('the parts of a job that commits while a sweep goes through the runs of its name are found', async () => {
  const storage = storageOn(openMemoryStore())
  const commit = async (jobId: string) => {
    const manifest = await stagePacket(storage, 'org/f', ['part'], { jobId })
    await storage.generations.commit('org/f', manifest, { force: true, taken: () => new Error('taken') })
    return new Set(manifest.parts.map(({ key }) => key))
  }
  const [first, second] = [randomUUID(), randomUUID()]
  const references = createReferences(storage.generations, 'org/f')
  const parts = await commit(first)
  expect([await references.of(second), await references.of(first)]).toEqual([new Set(), parts])
  const later = await commit(second)
  expect([await references.of(second), await references.of(first)]).toEqual([later, parts])
})
