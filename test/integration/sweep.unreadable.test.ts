import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { generationKey } from '../../shared/storage/keys.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import * as janitor from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, keysBelow, stagePacket } from '../support/storage/stored-packets.ts'
import { hour, nothing, sweep } from '../support/storage/sweeps.ts'

/** Makes the manifest of a generation unreadable. */
const spoil = ({ store }: Pick<Storage, 'store'>, name: string, generation: number, text = '<html>') =>
  store.put(generationKey(name, generation), Buffer.from(text))

/** Three generations of a packet, and parts of two runs that no generation has, one of a job that has committed. */
async function withLeftovers(storage: Storage, name: string) {
  const [dead, committed] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000']
  await stagePacket(storage, name, ['lost'], { jobId: dead })
  await stagePacket(storage, name, ['lost'], { jobId: committed })
  for (const content of ['1', '2']) await commitPacket(storage, name, [content])
  await commitPacket(storage, name, ['3'], { jobId: committed })
}

const jobId = '"jobId":"j1"'
const made = `${jobId},"createdAt":"2026-11-23T00:00:00.000Z"`

const swept = { ...nothing, generations: 2, parts: 4 }

describe.each([
  ['is not JSON', '<html>', [1, 2, 3]],
  ['is empty', ''],
  ['is null', 'null'],
  ['is a list', '[]'],
  ['has no job', '{"parts":[]}'],
  ['has no parts', `{${made},"packages":[]}`],
  ['has parts without keys', `{${made},"parts":[{"bytes":3}]}`],
  ['has parts without sizes', `{${made},"parts":[{"key":"a/.parts/f/.j1/r/00000-00001","bytes":"3"}]}`],
  ['has parts of an unknown compression', `{${made},"parts":[{"key":"k","bytes":3,"compression":"zstd"}]}`],
  ['expires at no time', `{${made},"parts":[],"expiresAt":"2024"}`],
  ['has null for a part', `{${made},"parts":[null]}`],
  ['was created at no time', `{${jobId},"createdAt":"2024","parts":[]}`],
  ['has parts of less than no bytes', `{${made},"parts":[{"key":"k","bytes":-1}]}`],
  ['is a removal in unknown words', `{${made},"parts":[],"removed":"yes"}`],
  ['is void over no number', `{${made},"parts":[],"isVoid":true,"over":"1"}`],
] as [string, string, number[]?][])('a manifest that %s', (_, text, generationsTried = [2]) => {
  test.each(generationsTried)(
    'an unreadable manifest of generation %i keeps its packet as it is, and no other',
    async (generation) => {
      const storage = await openTestStorage()
      for (const name of ['a/f', 'a/g', 'b/f']) await withLeftovers(storage, name)
      await commitPacket(storage, 'a/h', ['1'], { expiresAt: new Date(Date.now() - 2 * hour).toISOString() })
      await spoil(storage, 'a/f', generation, text)
      const reopened = storage.reopen()
      // The manifests that can be read are cached, so they are known before the other one fails.
      for (const other of [1, 2, 3].filter((each) => each !== generation)) await reopened.generations.read('a/f', other)
      const before = await keysBelow(storage, 'a/.parts/f/')
      const told: [string, string][] = []
      const unreadable = (name: string, { cause }: Error) => void told.push([name, String(cause)])
      const { generations, ...removed } = await sweep(reopened, { unreadable })
      // If 3 is the unreadable one, generation 1 is removed with its part, because 2 superseded it whatever 3 is.
      const below = generation === 3 ? 1 : 0
      expect({ ...removed, generations }).toEqual({
        ...swept,
        expired: 1,
        generations: 4 + below,
        parts: 8 + below,
      })
      expect(told).toEqual([['a/f', expect.stringContaining(generationKey('a/f', generation))]])
      expect(await keysBelow(storage, 'a/.parts/f/')).toHaveLength(before.length - below)
      expect(await keysBelow(storage, 'a/.generations/f/')).toHaveLength(3 - below)
    },
  )
})

test('a store that is away ends the sweep, also at a packet that was skipped before', async () => {
  const storage = await openTestStorage()
  for (const name of ['a/f', 'b/f']) await withLeftovers(storage, name)
  await spoil(storage, 'a/f', 2)
  const away = storageOn({
    ...storage.store,
    async get(key) {
      if (key.startsWith('b/')) throw errors.storeAway()
      return storage.store.get(key)
    },
  })
  const told: string[] = []
  await expect(sweep(away, { unreadable: (name) => void told.push(name) })).rejects.toMatchObject({ code: 'storeAway' })
  expect(told).toEqual(['a/f'])
})

test('a worker logs and counts each packet with an unreadable manifest once a sweep', async () => {
  const { context } = await ownWorker()
  const name = `${uniqueName('org')}/f`
  await withLeftovers(context, name)
  await spoil(context, name, 2)
  const lines: { msg: string; packet?: string; err?: { message: string } }[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const { store, generations, packets } = storageOn(context.store)
  const worker = { ...context, store, generations, packets, log }
  const tenDays = 240 * hour
  for (const count of [1, 2]) {
    expect(await janitor.sweep(worker, Date.now() + tenDays, new AbortController().signal)).toEqual(nothing)
    const told = lines.filter(({ msg }) => msg === 'packet not swept')
    expect(told.map(({ packet }) => packet)).toEqual(Array(count).fill(name))
    expect(told[0]?.err?.message).toContain('is not JSON')
    expect((await context.metrics.unreadable.get()).values).toEqual([expect.objectContaining({ value: count })])
  }
})

describe('readers', () => {
  const list = ({ packets }: Storage) => packets.list('a', [''])

  test('readers list a packet with an unreadable manifest by its name, and all others as before', async () => {
    const storage = await openTestStorage()
    await commitPacket(storage, 'a/e', ['1'])
    await commitPacket(storage, 'a/f', ['1', '2'])
    await commitPacket(storage, 'a/g', ['1', '2'])
    // Plain files of the packets, one of which had a single part before.
    for (const file of ['f', 'fPart1of2', 'fPart2of2', 'gPart1of2', 'other']) {
      await storage.store.put(`a/${file}`, Buffer.from('1'))
    }
    await spoil(storage, 'a/f', 1)
    const reopened = storage.reopen()
    expect(await list(reopened)).toEqual(['e', 'f', 'gPart1of2', 'gPart2of2', 'other'])
    const { names, next } = await reopened.packets.page('a', [''], { limit: 2 })
    expect(names).toEqual(['e', 'f'])
    expect((await reopened.packets.page('a', [''], { limit: 2, after: next ?? '' })).names).toEqual([
      'gPart1of2',
      'gPart2of2',
    ])
    expect(await reopened.packets.list('a', ['f'])).toEqual(['f'])
    expect(await reopened.packets.require('a', 'g')).toHaveLength(2)
    await expect(reopened.packets.require('a', 'f')).rejects.toMatchObject({ code: 'packetDamaged' })
  })

  test('readers list no file of a removed packet with an unreadable generation: it may be a copy', async () => {
    const storage = await openTestStorage()
    await commitPacket(storage, 'a/e', ['1'])
    await commitPacket(storage, 'a/f', ['1'])
    await storage.generations.commit('a/f', removal(), { force: true, taken: () => new Error('taken') })
    await storage.store.put('a/f', Buffer.from('1'))
    await spoil(storage, 'a/f', 1)
    expect(await list(storage.reopen())).toEqual(['e'])
  })
})
