import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parse } from 'content-disposition'
import { describe, expect, test } from 'vitest'
import { packetName } from '../../shared/storage/keys.ts'
import type { ManifestPart } from '../../shared/storage/manifest.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

const { store, generations, packets } = await openTestStorage()

const someOrg = () => `org-${randomUUID()}`
const put = (key: string, content: string) => store.put(key, Buffer.from(content))

/** Publishes a packet as a worker does, one part for each of `contents`. @returns its parts. */
async function publish(org: string, file: string, contents: readonly string[]): Promise<ManifestPart[]> {
  const name = packetName(org, file)
  const manifest = await stagePacket({ store }, name, contents)
  await generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
  await refreshPlainFiles(store, generations, name)
  return manifest.parts
}

const contentsOf = (files: readonly StoredFile[]) =>
  Promise.all(files.map(async (file) => text(await packets.open(file))))

const expectNotFound = (org: string, file: string) =>
  expect(packets.require(org, file)).rejects.toMatchObject({ status: 404, code: 'noSuchFile' })

describe('a packet', () => {
  test('a packet of one part is one file with its name', async () => {
    const org = someOrg()
    const [part] = await publish(org, 'f', ['ü'])
    const files = await packets.require(org, 'f')
    expect(files).toEqual([{ fileName: 'f', key: part?.key, bytes: 2, isPart: true }])
    expect(await contentsOf(files)).toEqual(['ü'])
  })

  test('a packet of several parts has all of them in order, and each by its own name', async () => {
    const org = someOrg()
    const contents = Array.from({ length: 11 }, (_, index) => `part ${index + 1}`)
    const parts = await publish(org, 'f', contents)
    const expected = parts.map(({ key, bytes }, index) => ({
      fileName: `fPart${index + 1}of11`,
      key,
      bytes,
      isPart: true,
    }))
    const files = await packets.require(org, 'f')
    expect(files).toEqual(expected)
    expect(await contentsOf(files)).toEqual(contents)
    for (const part of expected) expect(await packets.require(org, part.fileName)).toEqual([part])
  })

  test('a packet has no parts but its own', async () => {
    const org = someOrg()
    await publish(org, 'f', ['1', '2', '3'])
    await publish(org, 'one', ['1'])
    for (const file of ['fPart1of2', 'fPart4of3', 'fPart3of4', 'fPart01of3', 'fpart1of3', 'fPart1of3Part1of1']) {
      await expectNotFound(org, file)
    }
    for (const file of ['onePart1of1', 'on', 'one2', 'f/one']) {
      await expectNotFound(org, file)
    }
  })

  test('a packet is not mixed with foreign files under a part name of another count', async () => {
    const org = someOrg()
    await publish(org, 'f', ['1', '2', '3'])
    await put(`${org}/fPart1of2`, 'foreign')
    await expectNotFound(org, 'fPart1of2')
    expect(await contentsOf(await packets.require(org, 'f'))).toEqual(['1', '2', '3'])
  })

  test('a packet is the newest of its name, whatever the part counts of the older ones', async () => {
    const org = someOrg()
    for (const contents of [['a'], ['b1', 'b2', 'b3'], ['c1', 'c2'], ['d']]) {
      await publish(org, 'f', contents)
      expect(await contentsOf(await packets.require(org, 'f'))).toEqual(contents)
    }
    await expectNotFound(org, 'fPart1of2')
  })

  test('a packet is the same for an org with a directory in the file name and for that sub-org', async () => {
    const org = someOrg()
    const [part] = await publish(org, 'b/f', ['from above'])
    const file = { key: part?.key, bytes: 10, isPart: true }
    expect(await packets.require(`${org}/b`, 'f')).toEqual([{ ...file, fileName: 'f' }])
    expect(await packets.require(org, 'b/f')).toEqual([{ ...file, fileName: 'b/f' }])
    await publish(`${org}/b`, 'f', ['from', 'below'])
    expect(await contentsOf(await packets.require(org, 'b/f'))).toEqual(['from', 'below'])
  })

  test('a packet is read and signed whatever its name, also next to names that contain it', async () => {
    const org = someOrg()
    const names = ['f', 'f/g', 'f/g/h', 'f g', 'f+g', 'f=g', `f'"(g)`, 'für', 'f😀', 'fPart', 'fPart1', 'fPart1of']
    for (const name of names) await publish(org, name, [`${name} 1`, `${name} 2`])
    for (const name of names) {
      const files = await packets.require(org, name)
      expect(await contentsOf(files)).toEqual([`${name} 1`, `${name} 2`])
      const answers = await Promise.all((await packets.sign(files, 60)).map((url) => fetch(url)))
      expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual([`${name} 1`, `${name} 2`])
    }
  })
})

describe('foreign files', () => {
  test('foreign files are read and signed by their names, and are not parts', async () => {
    const org = someOrg()
    for (const file of ['f', 'gPart1of2', 'deep/h.json', 'wie geht’s?.json']) {
      const key = `${org}/${file}`
      await put(key, file)
      const files = await packets.require(org, file)
      expect(files).toEqual([{ fileName: file, key, bytes: Buffer.byteLength(file), isPart: false }])
      expect(await contentsOf(files)).toEqual([file])
      const [url = ''] = await packets.sign(files, 60)
      expect(await (await fetch(url)).text()).toBe(file)
    }
  })

  test('a foreign file that vanishes before it is read is missing, like one that was never there', async () => {
    const org = someOrg()
    await put(`${org}/deep/f`, 'foreign')
    const [file] = await packets.require(org, 'deep/f')
    await store.remove(`${org}/deep/f`)
    await expect(packets.open(file as StoredFile)).rejects.toMatchObject({
      status: 404,
      code: 'noSuchFile',
      message: `fileName: "deep/f" does not exist in "${org}"`,
    })
  })

  test('foreign files named like parts do not form a packet', async () => {
    const org = someOrg()
    await put(`${org}/fPart1of2`, '1')
    await put(`${org}/fPart2of2`, '2')
    await expectNotFound(org, 'f')
  })

  test('foreign files are hidden by a packet of the same name', async () => {
    const org = someOrg()
    await publish(org, 'f', ['packet'])
    await put(`${org}/f`, 'foreign')
    expect(await contentsOf(await packets.require(org, 'f'))).toEqual(['packet'])
  })
})

describe('download URLs', () => {
  test('download URLs come in part order, and save each part under its name', async () => {
    const org = someOrg()
    await publish(org, 'dir/ü', ['first', 'second'])
    const urls = await packets.sign(await packets.require(org, 'dir/ü'), 60)
    const answers = await Promise.all(urls.map((url) => fetch(url)))
    const saved = answers.map(({ headers }) => parse(headers.get('Content-Disposition') ?? '').parameters.filename)
    expect(saved).toEqual(['üPart1of2', 'üPart2of2'])
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['first', 'second'])
  })

  test('download URLs return the packet for which they were made, even after it was overwritten', async () => {
    const org = someOrg()
    await publish(org, 'f', ['old'])
    const [url = ''] = await packets.sign(await packets.require(org, 'f'), 60)
    await publish(org, 'f', ['new'])
    expect(await (await fetch(url)).text()).toBe('old')
  })
})

test('a part whose object is missing is reported damaged, not empty, and not as a store that does not answer', async () => {
  const org = someOrg()
  const [part] = await publish(org, 'f', ['x'])
  const [file] = await packets.require(org, 'f')
  await store.remove(part?.key ?? '')
  await expect(packets.open(file as StoredFile)).rejects.toMatchObject({ status: 500, code: 'packetDamaged' })
})
