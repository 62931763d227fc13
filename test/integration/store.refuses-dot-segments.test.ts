import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { expect, inject, test } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { positionText } from '../../shared/storage/listing/position.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import { refusesDotSegments } from '../support/faults/minio-dialect.ts'
import { startS3Proxy } from '../support/faults/s3-proxy.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

const { storage: settings } = readConfig('worker', inject('service').env)
const proxy = await startS3Proxy(settings.endpoint)
proxy.misbehave(refusesDotSegments)
const store = openMinioStore({ ...settings, endpoint: proxy.url, bucket: `dots-${randomUUID()}` })
await store.prepare()
const { generations, packets } = storageOn(store)

test('packets are stored, listed, read, replaced and removed on a store that refuses to list segments of dots', async () => {
  const taken = () => new Error('taken')
  const names = ['org/f', 'org/f-1', 'org/b/c.json']
  const commit = async (name: string, content: string, force = false) => {
    const manifest = await stagePacket({ store }, name, [content])
    await generations.commit(name, manifest, { force, taken })
    await refreshPlainFiles(store, generations, name)
  }
  for (const name of names) await commit(name, `first ${name}`)
  await expect(commit('org/f', 'again')).rejects.toThrow('taken')
  await commit('org/f', 'second', true)
  expect((await packets.list('org', [''])).toSorted()).toEqual(['b/c.json', 'f', 'f-1'])
  const [file] = await packets.require('org', 'f')
  expect(await text(await packets.open(file as never))).toBe('second')
  expect(await generations.list('org/f')).toEqual([1, 2])
})

test('a page of files of others starts after any name on a store that refuses to start at segments of dots', async () => {
  const org = `after-${randomUUID()}`
  for (const name of ['-', '0', 'a/b', 'a/c', 'b']) await store.put(`${org}/${name}`, Buffer.from(name))
  const after = async (name: string) =>
    (await packets.page(org, [''], { limit: 10, after: positionText({ of: 'file', name }) })).names
  const all = ['-', '0', 'a/b', 'a/c', 'b']
  for (const name of ['./a', '../a', '..', '../']) expect([name, await after(name)]).toEqual([name, all.slice(1)])
  for (const name of ['.', '..']) expect([name, await after(name)]).toEqual([name, all.slice(1)])
  for (const name of ['a/.', 'a/..', 'a/./x', 'a/../x']) {
    expect([name, await after(name)]).toEqual([name, all.slice(2)])
  }
  expect(await after('b/.')).toEqual([])
})

test('a page of orgs starts after any name on a store that refuses to start at segments of dots', async () => {
  const own = openMinioStore({ ...settings, endpoint: proxy.url, bucket: `dots-${randomUUID()}` })
  await own.prepare()
  const { packets } = storageOn(own)
  for (const org of ['a', 'b', 'c']) await packets.createOrg(org)
  const after = async (name: string) => {
    const orgs: string[] = []
    for await (const org of packets.orgs(null, { most: 10, after: name })) orgs.push(org)
    return orgs
  }
  for (const name of ['.', './b', '..', '../b']) expect([name, await after(name)]).toEqual([name, ['a', 'b', 'c']])
  expect(await after('a/../b')).toEqual(['b', 'c'])
  expect(await after('b')).toEqual(['c'])
})
