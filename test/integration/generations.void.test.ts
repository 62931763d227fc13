import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { partKey } from '../../shared/storage/keys.ts'
import { type Manifest, removal, voided } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { sweep } from '../support/storage/sweeps.ts'

const { store, generations, packets } = await openTestStorage()
const taken = () => new Error('taken')

const someOrg = () => `org-${randomUUID()}`
const commit = (name: string, manifest: Manifest, force = false) => generations.commit(name, manifest, { force, taken })

async function manifestOf(name: string, jobId: string = randomUUID()): Promise<Manifest> {
  const key = partKey(name, jobId, randomUUID(), 0, 1)
  const bytes = Buffer.from(`{"statements":[],"job":"${jobId}"}`)
  const etag = await store.put(key, bytes)
  return {
    jobId,
    attempt: 1,
    createdAt: new Date(0).toISOString(),
    parts: [{ key, bytes: bytes.length, pairs: 0, etag, sha256: '', statements: {} }],
  }
}

test('a run that resumes after its job has failed commits nothing, whether the name was free or taken', async () => {
  for (const isTaken of [false, true]) {
    const name = `${someOrg()}/packet`
    const before = isTaken ? await manifestOf(name) : null
    if (before) await commit(name, before)
    const failed = randomUUID()
    await commit(name, voided(failed), true)
    const late = commit(name, await manifestOf(name, failed), true)
    await expect(late).rejects.toMatchObject({ code: 'jobVoided' })
    expect(await generations.ofJob(name, failed)).toBeNull()
    expect((await generations.current(name))?.manifest ?? null).toEqual(before)
  }
})

test('a void generation is too late for a run that has committed', async () => {
  const name = `${someOrg()}/packet`
  const manifest = await manifestOf(name)
  expect([await commit(name, manifest), await commit(name, voided(manifest.jobId), true)]).toEqual([1, 1])
  expect(await generations.ofJob(name, manifest.jobId)).toBe(1)
})

test('readers skip a void generation: a packet stays, a free name is free, a removed packet is removed', async () => {
  const org = someOrg()
  const [kept, free, gone] = [`${org}/kept`, `${org}/free`, `${org}/gone`]
  await commit(kept, await manifestOf(kept))
  await commit(gone, await manifestOf(gone))
  await commit(gone, removal(), true)
  for (const name of [kept, free, gone]) await commit(name, voided(randomUUID()), true)
  for (const name of [kept, free, gone]) await refreshPlainFiles(store, generations, name)
  expect(await packets.list(org, [''])).toEqual(['kept'])
  const held = await Promise.all(['kept', 'free', 'gone'].map((fileName) => packets.standingOf(org, fileName)))
  expect(held.map(({ isTaken }) => isTaken)).toEqual([true, false, false])
  expect(await commit(free, await manifestOf(free))).toBe(2)
  await expect(commit(kept, await manifestOf(kept))).rejects.toThrow('taken')
})

test('a foreign file under a name with only a void generation is listed, and takes the name', async () => {
  const org = someOrg()
  await commit(`${org}/file`, voided(randomUUID()), true)
  await store.put(`${org}/file`, Buffer.from('{}'))
  expect(await packets.list(org, [''])).toEqual(['file'])
  expect((await packets.require(org, 'file')).map(({ isPart }) => isPart)).toEqual([false])
  await expect(commit(`${org}/file`, await manifestOf(`${org}/file`))).rejects.toThrow('taken')
})

test('a void generation supersedes nothing: a sweep keeps the packet below it, whatever its age', async () => {
  const org = someOrg()
  const name = `${org}/packet`
  const manifest = await manifestOf(name)
  await commit(name, manifest)
  await commit(name, { ...voided(randomUUID()), createdAt: new Date(1).toISOString() }, true)
  // The bucket also has objects of other tests.
  const only = {
    ...store,
    async *listLevel() {
      yield { prefix: `${org}/` }
    },
    async *list(prefix: string) {
      if (prefix.startsWith(org)) yield* store.list(prefix)
    },
  }
  await sweep(storageOn(only), { now: Date.now() + 10_000 })
  expect((await generations.current(name))?.manifest).toEqual(manifest)
  expect(await store.get(manifest.parts[0]?.key as string)).not.toBeNull()
})
