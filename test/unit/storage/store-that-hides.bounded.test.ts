import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createGenerations } from '../../../shared/storage/generations.ts'
import { generationKey, partKey } from '../../../shared/storage/keys.ts'
import { type Manifest, voided } from '../../../shared/storage/manifest.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

const name = 'org/packet'
const taken = () => new Error('taken')

function manifest(): Manifest {
  const jobId = randomUUID()
  const key = partKey(name, jobId, 'run-1', 0, 1)
  const parts = [{ key, bytes: 7, pairs: 1, etag: 'e', sha256: '', statements: {} }]
  return { jobId, attempt: 1, createdAt: '2024-02-29T12:00:00.000Z', parts }
}

/** A store whose listings lack the first generation as often as this. */
function hiding(times: number) {
  const store = openMemoryStore()
  let left = times
  const list: typeof store.list = async function* (prefix, options) {
    const isHidden = left-- > 0
    for await (const object of store.list(prefix, options)) {
      if (!isHidden || object.key !== generationKey(name, 1)) yield object
    }
  }
  return { ...store, list }
}

test('a publish on a store that never lists what it has ends with storeAway, after a bounded number of requests', {
  timeout: 30_000,
}, async () => {
  const store = hiding(Number.POSITIVE_INFINITY)
  const generations = createGenerations(store)
  await generations.commit(name, manifest(), { force: true, taken })
  store.forget()
  const second = createGenerations(store).commit(name, manifest(), { force: true, taken })
  await expect(second).rejects.toMatchObject({ code: 'storeAway' })
  expect(store.requests.length).toBeLessThan(100)
})

test('a publish on a store that lists a generation late gets the next number', async () => {
  const store = hiding(3)
  await createGenerations(store).commit(name, manifest(), { force: true, taken })
  expect(await createGenerations(store).commit(name, manifest(), { force: true, taken })).toBe(2)
})

test('a void generation above a missing one ends as damage, not in a loop', { timeout: 30_000 }, async () => {
  const store = openMemoryStore()
  const generations = createGenerations(store)
  await generations.commit(name, manifest(), { force: true, taken })
  await generations.commit(name, voided(randomUUID()), { force: true, taken })
  await store.remove(generationKey(name, 1))
  const third = createGenerations(store).commit(name, voided(randomUUID()), { force: true, taken })
  await expect(third).rejects.toMatchObject({ code: 'packetDamaged' })
})
