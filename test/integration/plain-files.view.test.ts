import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { createGenerations, type Manifest } from '../../shared/storage/generations.ts'
import { isHidden, partKey } from '../../shared/storage/keys.ts'
import { openMinioStore } from '../../shared/storage/minio-store.ts'
import { othersFiles, refreshPlainFiles } from '../../shared/storage/plain-files.ts'

const store = openMinioStore(readConfig('worker', inject('service').env).storage)
const generations = createGenerations(store)

const someOrg = () => `org-${randomUUID()}`
const put = (key: string, content: string) => store.put(key, Buffer.from(content))

/** A packet in the store, one part for each of `contents`, without its plain files. */
async function committed(name: string, contents: readonly string[]): Promise<Manifest> {
  const jobId = randomUUID()
  const parts = await Promise.all(
    contents.map(async (content, index) => {
      const key = partKey(name, jobId, randomUUID(), 0, index + 1)
      return { key, bytes: Buffer.byteLength(content), pairs: 1, etag: await put(key, content) }
    }),
  )
  const manifest = { jobId, attempt: 1, createdAt: '2024-02-29T12:00:00.000Z', parts }
  await generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
  return manifest
}

async function refresh(name: string, contents: readonly string[]): Promise<Manifest> {
  const manifest = await committed(name, contents)
  await refreshPlainFiles(store, generations, name)
  return manifest
}

/** The files of an org, with their contents, as a direct reader of the bucket sees them. */
async function viewOf(org: string): Promise<Record<string, string>> {
  const view: Record<string, string> = {}
  for await (const { key } of store.list(`${org}/`)) {
    if (!isHidden(key)) view[key.slice(org.length + 1)] = String(await store.get(key))
  }
  return view
}

describe('the plain files of a packet', () => {
  test('are its parts under their names', async () => {
    const [one, three] = [someOrg(), someOrg()]
    await refresh(`${one}/f`, ['ü'])
    await refresh(`${three}/dir/f`, ['1', '2', '3'])
    expect(await viewOf(one)).toEqual({ f: 'ü' })
    expect(await viewOf(three)).toEqual({ 'dir/fPart1of3': '1', 'dir/fPart2of3': '2', 'dir/fPart3of3': '3' })
  })

  test('follow every commit, to more parts and to fewer', async () => {
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

  test('replace foreign files under the packet’s names', async () => {
    const org = someOrg()
    for (const file of ['f', 'fPart1of1', 'fPart2of2', 'fPart10of12']) await put(`${org}/${file}`, 'foreign')
    await refresh(`${org}/f`, ['1', '2'])
    expect(await viewOf(org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
  })

  test('leave all other files unchanged', async () => {
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
      ...{ fPart1of3: '1', fPart2of3: '2', fPart3of3: '3' },
    })
  })

  test('are repaired when they do not match', async () => {
    const org = someOrg()
    await refresh(`${org}/f`, ['1', '2'])
    await store.remove(`${org}/fPart1of2`)
    await put(`${org}/fPart2of2`, 'spoilt')
    await put(`${org}/fPart3of3`, 'left over')
    await refreshPlainFiles(store, generations, `${org}/f`)
    await refreshPlainFiles(store, generations, `${org}/f`)
    expect(await viewOf(org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
  })

  test('leave the parts themselves in place', async () => {
    const org = someOrg()
    const older = await refresh(`${org}/f`, ['1', '2'])
    await refresh(`${org}/f`, ['3'])
    expect((await Promise.all(older.parts.map(({ key }) => store.get(key)))).map(String)).toEqual(['1', '2'])
  })

  test('are JSON, as the parts are', async () => {
    const org = someOrg()
    await refresh(`${org}/f`, ['{}'])
    const response = await fetch(await store.sign(`${org}/f`, 60, 'f'))
    expect([response.headers.get('Content-Type'), await response.text()]).toEqual(['application/json', '{}'])
  })

  test.each(['a b', 'a+b', 'a=b', `"a" 'b'`, '(a)', 'ä😀', 'aPart', 'aPart1of'])('may be named %s', async (file) => {
    const org = someOrg()
    await refresh(`${org}/${file}`, ['1', '2'])
    await refresh(`${org}/${file}`, ['3'])
    expect(await viewOf(org)).toEqual({ [file]: '3' })
  })

  test('found under the packet’s name are foreign, whatever their part count', async () => {
    const org = someOrg()
    for (const file of ['f', 'f b', 'fPart1of1', 'fPart2of3', 'fPart2of3x', 'g']) await put(`${org}/${file}`, 'x')
    const found = await othersFiles(store, generations, `${org}/f`)
    expect(found.map(({ key }) => key.slice(org.length + 1))).toEqual(['f', 'fPart1of1', 'fPart2of3'])
  })
})
