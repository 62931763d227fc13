import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { generationKey } from '../../shared/storage/keys.ts'
import { voided } from '../../shared/storage/manifest.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket } from '../support/storage/stored-packets.ts'

const storage = await openTestStorage()
const { store, generations } = storage
const someName = () => `org-${randomUUID()}/packet`
const taken = () => new Error('taken')

test('a removal that was delayed leaves a packet that was committed since', async () => {
  const name = someName()
  await commitPacket(storage, name, ['old'])
  const late = storageOn({
    ...store,
    async create(key, bytes) {
      if (key === generationKey(name, 2)) await commitPacket(storage, name, ['new'])
      return store.create(key, bytes)
    },
  })
  expect(await late.generations.remove(name)).toBeNull()
  expect((await generations.current(name))?.generation).toBe(2)
})

test('a removal goes past the void generation of a job that failed since', async () => {
  const name = someName()
  await commitPacket(storage, name, ['old'])
  const beside = storageOn({
    ...store,
    async create(key, bytes) {
      if (key === generationKey(name, 2)) await generations.commit(name, voided(randomUUID()), { force: true, taken })
      return store.create(key, bytes)
    },
  })
  expect(await beside.generations.remove(name)).toBe(3)
  expect(await generations.current(name)).toBeNull()
})

test('a removal whose answer was lost is found in the store', async () => {
  const name = someName()
  await commitPacket(storage, name, ['old'])
  const losing = storageOn({
    ...store,
    async create(key, bytes) {
      await store.create(key, bytes)
      return 'lost'
    },
  })
  expect(await losing.generations.remove(name)).toBe(2)
})

test('a void generation names the packet under it, although that could not be read at first', async () => {
  const name = someName()
  await commitPacket(storage, name, ['old'])
  let reads = 0
  const blinking = storageOn({
    ...store,
    get: async (key, range) => (key === generationKey(name, 1) && ++reads <= 2 ? null : store.get(key, range)),
  })
  await blinking.generations.commit(name, voided(randomUUID()), { force: true, taken })
  expect((await generations.current(name))?.generation).toBe(1)
})
