import { hash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Compression } from '../../../shared/storage/compression.ts'
import { type Manifest, type ManifestPart, removal } from '../../../shared/storage/manifest.ts'
import { othersFiles } from '../../../shared/storage/objects-of-a-name.ts'
import { refreshPlainFiles } from '../../../shared/storage/plain-files.ts'
import { stageParts } from '../../../shared/storage/staging.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'

const texts = ['first', 'second'].map((text) => Buffer.from(JSON.stringify({ statements: Array(500).fill(text) })))
const forced = { force: true, taken: () => new Error('taken') }

async function staged(compression: Compression) {
  const store = openMemoryStore()
  const storage = { ...storageOn(store), store }
  const staging = stageParts(store, 'a/f', { jobId: randomUUID(), attempt: 1, compression })
  for (const [index, bytes] of texts.entries()) {
    await staging.put({ number: index + 1, bytes, pairs: 500, statements: { nodeUpsert: 500 } })
  }
  const manifest = staging.manifest()
  const keys = manifest.parts.map(({ key }) => key)
  const stored = (await Promise.all(keys.map((key) => store.get(key)))) as Buffer[]
  return { storage, manifest, keys, stored }
}

/** Commits a packet and brings its plain files up to date. */
async function published(compression: Compression) {
  const { storage, manifest, keys, stored } = await staged(compression)
  await storage.generations.commit('a/f', manifest, forced)
  await refreshPlainFiles(storage.store, storage.generations, 'a/f')
  return { ...storage, manifest, keys, stored }
}

const names = ['a/fPart1of2', 'a/fPart2of2']

describe('a part', () => {
  test('a part without compression is stored and described as before', async () => {
    const { storage, manifest, keys, stored } = await staged('none')
    expect(stored).toEqual(texts)
    expect(keys.map((key) => storage.store.encodingOf(key))).toEqual([undefined, undefined])
    const described = texts.map((bytes, index) => ({
      key: keys[index],
      bytes: bytes.length,
      pairs: 500,
      etag: hash('md5', bytes),
      sha256: hash('sha256', bytes),
      statements: { nodeUpsert: 500 },
    }))
    expect(JSON.stringify(manifest.parts)).toBe(JSON.stringify(described))
  })

  test('a part with gzip is stored compressed; size and digest are of the JSON, the etag of the object', async () => {
    const { storage, manifest, keys, stored } = await staged('gzip')
    expect(stored.map((bytes) => gunzipSync(bytes))).toEqual(texts)
    expect(keys.map((key) => storage.store.encodingOf(key))).toEqual(['gzip', 'gzip'])
    const described = texts.map((bytes, index) => ({
      key: keys[index],
      bytes: bytes.length,
      pairs: 500,
      sha256: hash('sha256', bytes),
      etag: hash('md5', stored[index] as Buffer),
      statements: { nodeUpsert: 500 },
      compression: 'gzip',
      storedBytes: stored[index]?.length,
    }))
    expect(manifest.parts).toEqual(described)
  })
})

describe('plain files of compressed parts', () => {
  test('plain files of compressed parts are copies with their encoding, made once', async () => {
    const { store, generations, stored } = await published('gzip')
    expect(await Promise.all(names.map((name) => store.get(name)))).toEqual(stored)
    expect(names.map((name) => store.encodingOf(name))).toEqual(['gzip', 'gzip'])
    store.forget()
    await refreshPlainFiles(store, generations, 'a/f')
    expect(store.requests.filter((request) => request.startsWith('copy'))).toEqual([])
  })

  test('plain files of compressed parts are known as copies when the packet is removed, and go with it', async () => {
    const { store, generations } = await published('gzip')
    await generations.commit('a/f', removal(), forced)
    expect(await othersFiles(store, generations, 'a/f')).toEqual([])
    await refreshPlainFiles(store, generations, 'a/f')
    expect(await Promise.all(names.map((name) => store.get(name)))).toEqual([null, null])
  })
})

describe('reading a packet', () => {
  async function read(
    change: (stored: Buffer, part: ManifestPart) => Buffer | Readable,
    compression: Compression = 'gzip',
  ) {
    const { packets, store, keys, stored, manifest } = await published(compression)
    const [part] = manifest.parts as [ManifestPart]
    const changed = change(stored[0] as Buffer, part)
    const source = Buffer.isBuffer(changed) ? Readable.from([changed]) : changed
    const { packets: on } = storageOn({ ...store, stream: async (key) => (key === keys[0] ? source : null) })
    const [file] = await packets.require('a', 'f')
    const passed: Buffer[] = []
    const outcome = await (async () => {
      for await (const chunk of await on.open(file as NonNullable<typeof file>)) passed.push(chunk)
      return 'whole'
    })().catch(({ code }) => code)
    return { outcome, passed: Buffer.concat(passed), source, file }
  }
  const text = texts[0] as Buffer
  const inOrder = (bytes: Buffer) => text.subarray(0, bytes.length).equals(bytes)

  test('reading a packet gives the JSON, whose size the file has', async () => {
    const { outcome, passed, file } = await read((stored) => stored)
    expect([outcome, passed.equals(text), file?.bytes]).toEqual(['whole', true, text.length])
  })

  const flipped = (bytes: Buffer, at: number) => {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    return changed
  }
  test.each<[string, (stored: Buffer) => Buffer]>([
    ['is empty', () => Buffer.alloc(0)],
    ['is cut', (stored) => stored.subarray(0, -12)],
    ['lacks its last byte', (stored) => stored.subarray(0, -1)],
    ['has a wrong bit', (stored) => flipped(stored, stored.length >> 1)],
    ['has a wrong checksum', (stored) => flipped(stored, stored.length - 7)],
    ['is not compressed', () => text],
    ['is of other content', () => randomBytes(100)],
    ['holds less', () => gzipSync(text.subarray(1))],
    ['holds more', () => gzipSync(Buffer.concat([text, text]))],
    ['holds far more', () => gzipSync(Buffer.concat([text, Buffer.alloc(50_000_000)]))],
    ['comes twice', (stored) => Buffer.concat([stored, stored])],
  ])('reading a packet fails, and gives no more than the JSON, if an object %s', async (_what, change) => {
    const { outcome, passed } = await read((stored) => change(stored))
    expect([outcome, passed.length <= text.length]).toEqual(['packetDamaged', true])
  })

  test.each<[string, (stored: Buffer) => Buffer]>([
    ['is empty', () => Buffer.alloc(0)],
    ['lacks its last byte', (stored) => stored.subarray(0, -1)],
    ['holds more', (stored) => Buffer.concat([stored, Buffer.from(' ')])],
    ['is compressed', (stored) => gzipSync(stored)],
  ])(
    'reading an uncompressed packet fails as well, and gives no more than the JSON, if an object %s',
    async (_what, change) => {
      const { outcome, passed } = await read((stored) => change(stored), 'none')
      expect([outcome, passed.length <= text.length]).toEqual(['packetDamaged', true])
    },
  )

  test('reading a packet fails if the store breaks off', async () => {
    const { outcome, passed } = await read((stored) =>
      Readable.from(
        (async function* () {
          yield stored.subarray(0, stored.length - 3)
          throw new Error('aborted')
        })(),
      ),
    )
    expect([outcome, inOrder(passed)]).toEqual(['storeAway', true])
  })

  test('a read of a packet that is given up ends the download', async () => {
    const { packets, store, manifest } = await published('gzip')
    const large = gzipSync(randomBytes(5_000_000))
    const source = Readable.from([large.subarray(0, 1_000_000), large.subarray(1_000_000)])
    const { packets: on } = storageOn({ ...store, stream: async () => source })
    const [file] = packets.filesOf('f', {
      ...manifest,
      parts: [{ ...manifest.parts[0], bytes: 5_000_000 }],
    } as Manifest)
    for await (const _ of await on.open(file as NonNullable<typeof file>)) break
    await expect.poll(() => source.destroyed).toBe(true)
  })

  test('reading a packet gives chunks, however large the packet is', async () => {
    const bytes = Buffer.alloc(20_000_000, 'text ')
    const { packets, store, manifest } = await published('gzip')
    const { packets: on } = storageOn({ ...store, stream: async () => Readable.from([gzipSync(bytes)]) })
    const [file] = packets.filesOf('f', {
      ...manifest,
      parts: [{ ...manifest.parts[0], bytes: bytes.length }],
    } as Manifest)
    let [largest, sum] = [0, 0]
    for await (const { length } of await on.open(file as NonNullable<typeof file>)) {
      largest = Math.max(largest, length)
      sum += length
    }
    expect([sum, largest <= 65_536]).toEqual([bytes.length, true])
    await expect(buffer(await on.open({ ...file, bytes: 1_000_000 } as NonNullable<typeof file>))).rejects.toThrow()
  })
})
