import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { expect, inject, test } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import { refreshPlainFiles } from '../../shared/packets/plain-files.ts'
import { storageOn } from '../../shared/packets/storage.ts'
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
