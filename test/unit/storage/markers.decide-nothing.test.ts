import { describe, expect, test } from 'vitest'
import { generationKey, markerKey } from '../../../shared/storage/keys.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { commitPacket, keysBelow } from '../../support/storage/stored-packets.ts'
import { nothing, sweep } from '../../support/storage/sweeps.ts'

const manifestKey = generationKey('acme/packet', 1)
const longAgo = '2020-01-01T00:00:00.000Z'
const [right, wrong] = [markerKey(manifestKey, 1), markerKey(manifestKey, 1, longAgo)]

/** A packet with markers, whatever they say. */
async function marked(markers: readonly string[], expiry: { expiresAt?: string } = {}) {
  const store = openMemoryStore()
  const storage = { ...storageOn(store), store }
  await commitPacket(storage, 'acme/packet', ['1'], expiry)
  for (const key of markers) await store.put(key, Buffer.alloc(0))
  return {
    fresh: () => ({ ...storageOn(store), store }),
    list: () => storageOn(store).packets.list('acme', ['']),
    markersLeft: async () => (await keysBelow(storage, `${manifestKey}=`)).sort(),
  }
}

describe('a packet that lives for ever', () => {
  test.each([
    ['a marker of a time long ago', [wrong], []],
    ['a right marker and one of a time long ago', [right, wrong], [right]],
  ])('a sweep keeps a packet that lives for ever and has %s, and removes only the marker', async (_, markers, left) => {
    const packet = await marked(markers)
    expect(await sweep(packet.fresh())).toEqual(nothing)
    expect((await packet.fresh().generations.current('acme/packet'))?.generation).toBe(1)
    expect([await packet.markersLeft(), await packet.list()]).toEqual([left, ['packet']])
  })

  test('a listing shows a packet of which one of two markers says that it has expired', async () => {
    expect(await (await marked([right, wrong])).list()).toEqual(['packet'])
  })

  test('a listing shows the parts of the packet if two markers count them differently', async () => {
    expect(await (await marked([right, markerKey(manifestKey, 3)])).list()).toEqual(['packet'])
  })
})

test('a sweep removes an expired packet of which one of two markers says that it lives for ever', async () => {
  const packet = await marked([right, wrong], { expiresAt: longAgo })
  expect(await sweep(packet.fresh())).toEqual({ ...nothing, expired: 1 })
  expect(await packet.markersLeft()).toEqual([wrong])
})
