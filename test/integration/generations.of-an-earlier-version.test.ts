import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { earlierGenerationKey, generationKey } from '../../shared/storage/keys.ts'
import { type Manifest, voided } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { keysBelow, stagePacket, viewOf } from '../support/storage/stored-packets.ts'
import { sweep } from '../support/storage/sweeps.ts'

const { store, generations, packets } = await openTestStorage()
const taken = () => new Error('taken')

/** Writes generations in the earlier version's format, one for each of `contents`; null is a void one. */
async function written(name: string, contents: readonly (string | null)[]): Promise<Manifest[]> {
  const manifests: Manifest[] = []
  for (const [index, content] of contents.entries()) {
    const { run, ...staged } = await stagePacket({ store }, name, [content ?? ''], { run: '1' })
    const manifest = content === null ? voided(staged.jobId) : staged
    await store.put(earlierGenerationKey(name, index + 1), Buffer.from(JSON.stringify(manifest)))
    manifests.push(manifest)
  }
  return manifests
}

const someOrg = () => `org-${randomUUID()}`

test('packets written by an earlier version are read, listed, found taken, and overwritten', async () => {
  const org = someOrg()
  const name = `${org}/file`
  const manifests = await written(name, ['1', '2', '3', null])
  expect([await generations.list(name), (await generations.current(name))?.manifest]).toEqual([
    [1, 2, 3, 4],
    manifests[2],
  ])
  expect(await packets.list(org, [''])).toEqual(['file'])
  expect((await packets.require(org, 'file')).map(({ key }) => key)).toEqual([manifests[2]?.parts[0]?.key])
  expect(await packets.standingOf(org, 'file')).toEqual({ isTaken: true, latest: 4 })
  expect(await generations.read(name, 1)).toEqual(manifests[0])

  const newer = await stagePacket({ store }, name, ['5'])
  await expect(generations.commit(name, newer, { force: false, taken, above: 4 })).rejects.toThrow(taken())
  expect(await generations.commit(name, newer, { force: true, taken, above: 4 })).toBe(5)
  expect(await store.get(generationKey(name, 5))).not.toBeNull()
  expect([await generations.list(name), (await generations.current(name))?.manifest]).toEqual([[1, 2, 3, 4, 5], newer])
  await refreshPlainFiles(store, generations, name)
  expect([await packets.list(org, ['']), await viewOf({ store }, org)]).toEqual([['file'], { file: '5' }])
})

test('a job of an earlier version finds the generation it made, or that it was voided', async () => {
  const name = `${someOrg()}/file`
  const [first, , failed] = await written(name, ['1', '2', null, '4'])
  const options = { force: true, taken }
  expect(await generations.ofJob(name, first?.jobId ?? '')).toBe(1)
  const again = await stagePacket({ store }, name, ['1'], { jobId: first?.jobId ?? '' })
  expect(await generations.commit(name, again, options)).toBe(1)
  const late = await stagePacket({ store }, name, ['3'], { jobId: failed?.jobId ?? '' })
  await expect(generations.commit(name, late, options)).rejects.toMatchObject({ code: 'jobVoided' })
})

test('a sweep removes superseded generations, whichever version wrote them', async () => {
  const name = `${someOrg()}/file`
  await written(name, ['1', null, '3'])
  for (const content of ['4', '5']) {
    await generations.commit(name, await stagePacket({ store }, name, [content]), { force: true, taken })
  }
  const swept = await sweep(storageOn(store), { now: Date.now() + 10_000 })
  expect(swept.generations).toBeGreaterThanOrEqual(4)
  expect(await storageOn(store).generations.list(name)).toEqual([5])
  const [part = '', ...others] = await keysBelow({ store }, `${name.split('/')[0]}/.parts/`)
  expect([String(await store.get(part)), others]).toEqual(['5', []])
})
