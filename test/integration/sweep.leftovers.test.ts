import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createGenerations } from '../../shared/storage/generations.ts'
import { requestKey } from '../../shared/storage/keys.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import { probeKey } from '../../shared/store/object-store.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow, stagePacket } from '../support/storage/stored-packets.ts'
import { hour, nothing, sweep } from '../support/storage/sweeps.ts'

const remove = ({ generations }: Storage, name: string) =>
  generations.commit(name, removal(), { force: true, taken: () => new Error('taken') })

describe('parts that no generation refers to', () => {
  test('unreferenced parts of any run are removed when they are old and their job is not alive', async () => {
    const storage = await openTestStorage()
    const [alive, dead] = [randomUUID(), randomUUID()]
    for (const run of ['one', 'other']) await stagePacket(storage, 'a/f', ['1', '2'], { jobId: alive, run })
    await stagePacket(storage, 'b/c/g', ['3', '4'], { jobId: dead })
    await stagePacket(storage, 'b/c/g', ['5'], { jobId: dead })
    const isAlive = async (jobId: string) => jobId === alive
    expect(await sweep(storage, { isAlive, orphanedMs: 2 * hour })).toEqual(nothing)
    expect(await sweep(storage, { isAlive })).toEqual({ ...nothing, parts: 3 })
    const left = await keysBelow(storage, '')
    expect(left.map((key) => key.includes(`.${alive}/`))).toEqual([true, true, true, true])
  })

  test('unreferenced parts stay while any part of their run is young, as that run may still be writing', async () => {
    const storage = await openTestStorage()
    await stagePacket(storage, 'a/f', ['1', '2', '3'])
    const aged = storageOn({
      ...storage.store,
      async *list(prefix) {
        for await (const object of storage.store.list(prefix)) {
          yield { ...object, modifiedAt: object.key.endsWith('00003') ? Date.now() : 0 }
        }
      },
    })
    expect(await sweep(aged, { now: Date.now(), orphanedMs: hour })).toEqual(nothing)
  })

  test('unreferenced parts stay when they are committed during the sweep', async () => {
    const storage = await openTestStorage()
    const manifest = await stagePacket(storage, 'a/f', ['1', '2'])
    const isAlive = async () => {
      await createGenerations(storage.store).commit('a/f', manifest, { force: false, taken: () => new Error('taken') })
      return false
    }
    expect(await sweep(storage, { isAlive })).toEqual(nothing)
    expect((await keysBelow(storage, 'a/.parts/')).length).toBe(2)
  })

  test('the parts of a losing run are removed, and the parts of the winning run of the same job stay', async () => {
    const storage = await openTestStorage()
    const jobId = randomUUID()
    await stagePacket(storage, 'a/f', ['lost'], { jobId })
    await commitPacket(storage, 'a/f', ['won'], { jobId })
    expect(await sweep(storage)).toEqual({ ...nothing, parts: 1 })
    const [part = ''] = await keysBelow(storage, 'a/.parts/')
    expect(String(await storage.store.get(part))).toBe('won')
  })
})

describe('requests and probes', () => {
  test('requests and probes are removed when they are old; requests only when their job is not alive', async () => {
    const storage = await openTestStorage()
    const [alive, dead] = [randomUUID(), randomUUID()]
    const put = (key: string) => storage.store.put(key, Buffer.from('{}'))
    await Promise.all([requestKey('a/b', alive), requestKey('a', dead), probeKey('p'), 'a/file', 'a/.org'].map(put))
    const isAlive = async (jobId: string) => jobId === alive
    expect(await sweep(storage, { isAlive, orphanedMs: 2 * hour })).toEqual(nothing)
    expect(await sweep(storage, { isAlive })).toEqual({ ...nothing, requests: 1, probes: 1 })
    expect(await keysBelow(storage, '')).toEqual([requestKey('a', alive), 'a/.org', 'a/file'])
  })
})

test('a sweep updates every packet’s plain files, also those of removed packets', async () => {
  const storage = await openTestStorage()
  for (const name of ['a/f', 'a/g', 'b/f']) await commitPacket(storage, name, ['1'])
  await remove(storage, 'a/g')
  const repaired: string[] = []
  await sweep(storage, { refresh: async (name) => void repaired.push(name) })
  expect(repaired).toEqual(['a/f', 'a/g', 'b/f'])
})

test('an aborted sweep removes nothing more', async () => {
  const storage = await openTestStorage()
  for (const content of ['1', '2', '3']) await commitPacket(storage, 'a/f', [content])
  const stopping = new AbortController()
  const once = storageOn({
    ...storage.store,
    async remove(key) {
      await storage.store.remove(key)
      stopping.abort(new Error('stopping'))
    },
  })
  await expect(sweep(once, { signal: stopping.signal })).rejects.toThrow('stopping')
  expect(await createGenerations(storage.store).list('a/f')).toEqual([2, 3])
  expect((await keysBelow(storage, 'a/.parts/')).length).toBe(3)
})

test('an aborted sweep looks at no further packet', async () => {
  const storage = await openTestStorage()
  for (const name of ['a/f', 'a/g', 'b/f']) await commitPacket(storage, name, ['1'])
  const stopping = new AbortController()
  const refreshed: string[] = []
  const refresh = async (name: string) => {
    refreshed.push(name)
    stopping.abort(new Error('stopping'))
  }
  await expect(sweep(storage, { refresh, signal: stopping.signal })).rejects.toThrow('stopping')
  expect(refreshed).toEqual(['a/f'])
})
