import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { generationKey, orgKey } from '../../shared/storage/keys.ts'
import { type Manifest, voided } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import type { Storage } from '../../shared/storage/storage.ts'
import { inBatches } from '../../shared/store/batches.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket, stagePacket } from '../support/storage/stored-packets.ts'

const storage = await openTestStorage()
const taken = () => new Error('taken')
const above = Number.POSITIVE_INFINITY

/** Number of requests that `work` costs a freshly started process. */
async function requestsOf(work: (storage: Storage) => Promise<unknown>): Promise<number> {
  let requests = 0
  const fresh = storage.reopen(() => {
    requests++
  })
  await work(fresh)
  return requests
}

/** A name that was published and overwritten `times` times, and the job of its last generation. */
async function overwritten(times: number) {
  const [org, jobId] = [`org-${randomUUID()}`, randomUUID()]
  const name = `${org}/file`
  await storage.store.put(orgKey(org), Buffer.from('{}'))
  const manifest = await stagePacket(storage, name, ['1', '2'])
  const numbers = Array.from({ length: times }, (_, index) => index + 1)
  await inBatches(numbers, (number) => {
    const one = { ...manifest, jobId: number === times ? jobId : randomUUID() }
    return storage.store.put(generationKey(name, number), Buffer.from(JSON.stringify(one)))
  })
  await refreshPlainFiles(storage.store, storage.generations, name)
  return { org, name, jobId, times }
}

type History = Awaited<ReturnType<typeof overwritten>>

/** What clients and jobs request of a name, each in a process of its own. */
const asked: Record<string, (storage: Storage, history: History) => Promise<unknown>> = {
  'whether the name is taken': ({ packets }, { org }) => packets.standingOf(org, 'file'),
  'reading it': ({ packets }, { org }) => packets.require(org, 'file'),
  'reading a part': ({ packets }, { org }) => packets.require(org, 'filePart2of2'),
  'listing the org': ({ packets }, { org }) => packets.list(org, ['']),
  'listing a prefix': ({ packets }, { org }) => packets.list(org, ['filePa']),
  'looking for the org': ({ packets }, { org }) => packets.requireOrg(org),
  'whether a job that was just submitted has committed': ({ generations }, { name, times }) =>
    generations.ofJob(name, randomUUID(), times),
  'whether the last job has committed': ({ generations }, { name, jobId, times }) =>
    generations.ofJob(name, jobId, times - 1),
  'the plain files': ({ store, generations }, { name }) => refreshPlainFiles(store, generations, name),
  'a commit that is refused': async ({ generations }, { name, times }) => {
    const manifest = { ...voided(randomUUID()), isVoid: undefined } as unknown as Manifest
    await expect(generations.commit(name, manifest, { force: false, taken, above: times })).rejects.toThrow(taken())
  },
  'a void commit': ({ generations }, { name }) =>
    generations.commit(name, voided(randomUUID()), { force: true, taken, above }),
  'reading below a void one': ({ packets }, { org }) => packets.require(org, 'file'),
  'a commit with force': (storage, { name, times }) =>
    stagePacket(storage, name, ['3']).then((manifest) =>
      storage.generations.commit(name, manifest, { force: true, taken, above: times }),
    ),
}

test('publishing, reading and listing a name cost the same after 5 generations and after 1,000', async () => {
  const costs: Record<string, number>[] = []
  for (const times of [5, 1_000]) {
    const history = await overwritten(times)
    const cost: Record<string, number> = {}
    for (const [what, ask] of Object.entries(asked)) cost[what] = await requestsOf((storage) => ask(storage, history))
    costs.push(cost)
  }
  const [few, many] = costs
  expect(many).toEqual(few)
  expect(Math.max(...Object.values(few ?? {}))).toBeLessThan(10)
})

test('listing a name with very many generations reads only one page of them', async () => {
  const history = await overwritten(1_100)
  for (const file of ['another', 'file b', 'file/deep', 'fileX'])
    await commitPacket(storage, `${history.org}/${file}`, ['1'])
  const list = async ({ packets }: Storage) => {
    const names = await packets.list(history.org, [''])
    expect(names).toEqual(['another', 'file b', 'file/deep', 'filePart1of2', 'filePart2of2', 'fileX'])
  }
  // Plain files before and after the hidden objects, two pages of generations, and a manifest for each packet.
  expect(await requestsOf(list)).toBe(9)
})
