import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Manifest } from '../../shared/storage/manifest.ts'
import { othersFiles } from '../../shared/storage/objects-of-a-name.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { viewOf as filesOf, stagePacket } from '../support/storage/stored-packets.ts'

const { store, generations } = await openTestStorage()

const someOrg = () => `org-${randomUUID()}`
const put = (key: string, content: string) => store.put(key, Buffer.from(content))

/** A packet in the store, one part for each of `contents`, without its plain files. */
async function committed(name: string, contents: readonly string[]): Promise<Manifest> {
  const manifest = await stagePacket({ store }, name, contents)
  await generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
  return manifest
}

async function refresh(name: string, contents: readonly string[]): Promise<Manifest> {
  const manifest = await committed(name, contents)
  await refreshPlainFiles(store, generations, name)
  return manifest
}

const viewOf = (org: string) => filesOf({ store }, org)

describe('the plain files of a packet', () => {
  test('the plain files of a packet are its parts under their names', async () => {
    const [one, three] = [someOrg(), someOrg()]
    await refresh(`${one}/f`, ['ü'])
    await refresh(`${three}/dir/f`, ['1', '2', '3'])
    expect(await viewOf(one)).toEqual({ f: 'ü' })
    expect(await viewOf(three)).toEqual({ 'dir/fPart1of3': '1', 'dir/fPart2of3': '2', 'dir/fPart3of3': '3' })
  })

  test('the plain files of a packet follow every commit, to more parts and to fewer', async () => {
    const org = someOrg()
    await refresh(`${org}/f`, ['a'])
    await refresh(`${org}/f`, ['b1', 'b2'])
    expect(await viewOf(org)).toEqual({ fPart1of2: 'b1', fPart2of2: 'b2' })
    await refresh(`${org}/f`, ['c1', 'c2', 'c3'])
    expect(await viewOf(org)).toEqual({ fPart1of3: 'c1', fPart2of3: 'c2', fPart3of3: 'c3' })
    await refresh(`${org}/f`, ['d1', 'd2', 'd3'])
    expect(await viewOf(org)).toEqual({ fPart1of3: 'd1', fPart2of3: 'd2', fPart3of3: 'd3' })
    await refresh(`${org}/f`, ['e'])
    expect(await viewOf(org)).toEqual({ f: 'e' })
  })

  test('the plain files of a packet replace foreign files under the packet’s names', async () => {
    const org = someOrg()
    for (const file of ['f', 'fPart1of1', 'fPart2of2', 'fPart10of12']) await put(`${org}/${file}`, 'foreign')
    await refresh(`${org}/f`, ['1', '2'])
    expect(await viewOf(org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
  })

  test('the plain files of a packet leave all other files unchanged', async () => {
    const org = someOrg()
    const others = [
      'f2',
      'f.json',
      'fPart',
      'fPart01of2',
      'fPart1of2.json',
      'fpart1of2',
      'f-Part1of2',
      'f/Part1of2',
      'g',
    ]
    for (const file of others) await put(`${org}/${file}`, file)
    await refresh(`${org}/f`, ['1', '2'])
    await refresh(`${org}/f`, ['1', '2', '3'])
    expect(await viewOf(org)).toEqual({
      ...Object.fromEntries(others.map((file) => [file, file])),
      fPart1of3: '1',
      fPart2of3: '2',
      fPart3of3: '3',
    })
  })

  test('the plain files of a packet are repaired when they do not match', async () => {
    const org = someOrg()
    await refresh(`${org}/f`, ['1', '2'])
    await store.remove(`${org}/fPart1of2`)
    await put(`${org}/fPart2of2`, 'spoilt')
    await put(`${org}/fPart3of3`, 'left over')
    await refreshPlainFiles(store, generations, `${org}/f`)
    await refreshPlainFiles(store, generations, `${org}/f`)
    expect(await viewOf(org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
  })

  test('the plain files of a packet leave the parts themselves in place', async () => {
    const org = someOrg()
    const older = await refresh(`${org}/f`, ['1', '2'])
    await refresh(`${org}/f`, ['3'])
    expect((await Promise.all(older.parts.map(({ key }) => store.get(key)))).map(String)).toEqual(['1', '2'])
  })

  test('the plain files of a packet are JSON, as the parts are', async () => {
    const org = someOrg()
    await refresh(`${org}/f`, ['{}'])
    const response = await fetch(await store.sign(`${org}/f`, 60, 'f'))
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['application/json', '{}'])
  })

  test.each(['a b', 'a+b', 'a=b', `"a" 'b'`, '(a)', 'ä😀', 'aPart', 'aPart1of'])(
    'the plain files of a packet may be named %s',
    async (file) => {
      const org = someOrg()
      await refresh(`${org}/${file}`, ['1', '2'])
      await refresh(`${org}/${file}`, ['3'])
      expect(await viewOf(org)).toEqual({ [file]: '3' })
    },
  )

  test('files found under the packet’s name are foreign, whatever their part count', async () => {
    const org = someOrg()
    for (const file of ['f', 'f b', 'fPart1of1', 'fPart2of3', 'fPart2of3x', 'g']) await put(`${org}/${file}`, 'x')
    const found = await othersFiles(store, generations, `${org}/f`)
    expect(found.map(({ key }) => key.slice(org.length + 1))).toEqual(['f', 'fPart1of1', 'fPart2of3'])
  })
})
