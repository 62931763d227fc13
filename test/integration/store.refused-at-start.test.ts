import { expect, test } from 'vitest'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import { type StoreFaults, startFaultyStore } from '../support/servers/faulty-store.ts'

async function storeWith(faults: StoreFaults) {
  const { endpoint, objects } = await startFaultyStore(faults)
  const settings = { endpoint, publicEndpoint: endpoint, region: 'us-east-1', bucket: 'bucket' }
  return { store: openMinioStore({ ...settings, accessKey: 'key', secretKey: 'secret', timeoutSeconds: 20 }), objects }
}

test('a store that meets the requirements of publication is accepted, and the probe leaves nothing', async () => {
  const { store, objects } = await storeWith({})
  await store.prepare()
  expect([...objects]).toEqual([])
})

test.each<[string, StoreFaults, RegExp]>([
  ['ignores the condition', { ignoresCondition: true }, /ignores If-None-Match/],
  ['reads back something else', { readsStale: true }, /does not read back what was written/],
  ['does not list what was written', { listsNothing: true }, /does not list what was just written/],
  ['lets nothing be created', { refusesCreate: true }, /refused to create an object with If-None-Match/],
  ['lets several creates at once succeed', { checksEarly: true }, /lets \d+ of 10 creates of one key at once succeed/],
  ['lists other names', { mixesNames: true }, /lists names with \+ " ' % ~ or a leading dot as other names/],
  ['lists in another order', { listsBackwards: true }, /does not list each key once, in the order/],
  ['lists from the beginning', { ignoresStart: true }, /does not list each key once/],
  ['copies nothing', { copiesNothing: true }, /does not copy an object/],
  ['accepts late requests', { acceptsLate: true }, /accepts a request that was signed twenty minutes ago/],
])('a store that %s is refused at start', async (_name, faults, message) => {
  const { store } = await storeWith(faults)
  await expect(store.prepare()).rejects.toThrow(message)
})
