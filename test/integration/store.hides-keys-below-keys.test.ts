import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { type Manifest, removal } from '../../shared/storage/manifest.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import { serveMemoryStore } from '../support/servers/memory-s3-server.ts'
import { openMemoryStore } from '../support/storage/memory-store.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

// MinIO lists no key below another. The test server stores none, so a store in memory has MinIO's rules.
const memory = openMemoryStore()
const server = await serveMemoryStore(memory, 0, { isMinio: true })
afterAll(() => server.close())
const endpoint = server.settings.S3_ENDPOINT
const settings = { endpoint, publicEndpoint: endpoint, region: 'us-east-1', bucket: 'bucket', timeoutSeconds: 20 }
const store = openMinioStore({ ...settings, accessKey: 'key', secretKey: 'secret' })
await store.prepare()
const { generations, packets } = storageOn(store)

const taken = () => new Error('taken')
const put = (key: string, content: string) => store.put(key, Buffer.from(content))

async function publish(name: string, contents: readonly string[], force = true): Promise<Manifest> {
  const manifest = await stagePacket({ store }, name, contents)
  await generations.commit(name, manifest, { force, taken })
  await refreshPlainFiles(store, generations, name)
  return manifest
}

/** What is really in the bucket, hidden or not. */
async function plainOf(org: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { key } of memory.list(`${org}/`)) {
    if (!/\/\./.test(key)) found[key.slice(org.length + 1)] = String(await memory.get(key))
  }
  return found
}

const someOrg = () => `org-${randomUUID()}`

test('the probe at start finds out that the store hides keys below keys, and leaves nothing', async () => {
  expect(store.keysBelowKeys()).toBe('hidden')
  const left = []
  for await (const { key } of memory.list('.probe/')) left.push(key)
  expect(left).toEqual([])
})

describe('a packet b/c beside a packet b', () => {
  test('a packet below another is overwritten by fewer parts, and leaves no plain file of the earlier one', async () => {
    const org = someOrg()
    await publish(`${org}/b`, ['b'])
    await publish(`${org}/b/c`, ['1', '2', '3'])
    expect(await plainOf(org)).toEqual({ b: 'b', 'b/cPart1of3': '1', 'b/cPart2of3': '2', 'b/cPart3of3': '3' })
    await publish(`${org}/b/c`, ['one'])
    expect(await plainOf(org)).toEqual({ b: 'b', 'b/c': 'one' })
  })

  test('a packet below another is removed with all its plain files', async () => {
    const org = someOrg()
    await publish(`${org}/b`, ['b'])
    await publish(`${org}/b/c`, ['1', '2'])
    await generations.remove(`${org}/b/c`)
    await refreshPlainFiles(store, generations, `${org}/b/c`)
    expect(await plainOf(org)).toEqual({ b: 'b' })
    expect(await packets.list(org, [''])).toEqual(['b'])
  })

  test('copies of a removed packet below another go later, with what others put there', async () => {
    const org = someOrg()
    await publish(`${org}/b`, ['b'])
    await publish(`${org}/b/c`, ['1', '2'])
    await generations.commit(`${org}/b/c`, removal(), { force: true, taken })
    await put(`${org}/b/c`, 'of others')
    await refreshPlainFiles(store, generations, `${org}/b/c`)
    expect(await plainOf(org)).toEqual({ b: 'b' })
  })

  test('both packets are listed and read, whichever was first', async () => {
    const org = someOrg()
    await publish(`${org}/b/c`, ['below'])
    await publish(`${org}/b`, ['above'])
    expect(await packets.list(org, [''])).toEqual(['b', 'b/c'])
    expect(await packets.require(org, 'b/c')).toMatchObject([{ fileName: 'b/c', isPart: true }])
    expect(await packets.orgExists(`${org}/b`)).toBe(true)
  })
})

describe('a file of others below a packet', () => {
  test('a file of others below a packet has its name, and is read by it', async () => {
    const org = someOrg()
    await publish(`${org}/b`, ['b'])
    await put(`${org}/b/c`, 'of others')
    await put(`${org}/b/dPart1of2`, 'a part of others')
    expect(await packets.standingOf(org, 'b/c')).toMatchObject({ isTaken: true, latest: 0 })
    await expect(publish(`${org}/b/c`, ['mine'], false)).rejects.toThrow('taken')
    expect(await packets.require(org, 'b/c')).toMatchObject([{ fileName: 'b/c', isPart: false, bytes: 9 }])
    expect(await packets.require(org, 'b/dPart1of2')).toMatchObject([{ isPart: false, bytes: 16 }])
    expect(await plainOf(org)).toMatchObject({ 'b/c': 'of others' })
  })
})

test('an org of the name of a packet does not exist because of that packet', async () => {
  const org = someOrg()
  await publish(`${org}/b`, ['b'])
  expect(await packets.orgExists(`${org}/b`)).toBe(false)
  await packets.createOrg(`${org}/b`)
  expect(await packets.orgExists(`${org}/b`)).toBe(true)
})
