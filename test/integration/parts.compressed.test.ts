import { randomUUID } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Compression } from '../../shared/storage/compression.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { othersFiles, plainFilesOf } from '../../shared/storage/objects-of-a-name.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import { refreshPlainFiles } from '../../shared/storage/plain-files.ts'
import { stageParts } from '../../shared/storage/staging.ts'
import { getPacked } from '../support/clients/raw-http.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { viewOf } from '../support/storage/stored-packets.ts'

const { store, generations, packets } = await openTestStorage()
const texts = ['first', 'zweites ü'].map((text) => Buffer.from(JSON.stringify({ statements: Array(2_000).fill(text) })))
const forced = { force: true, taken: () => new Error('taken') }
const copiesIn = (name: string) => [`${name}Part1of2`, `${name}Part2of2`]

/** Commits a packet of two parts and makes its plain files. */
async function publish(name: string, compression: Compression) {
  const staging = stageParts(store, name, { jobId: randomUUID(), attempt: 1, compression })
  for (const [index, bytes] of texts.entries())
    await staging.put({ number: index + 1, bytes, pairs: 2_000, statements: {} })
  const manifest = staging.manifest()
  await generations.commit(name, manifest, forced)
  await refreshPlainFiles(store, generations, name)
  return manifest.parts
}

/** What a link to an object answers to a client that decompresses nothing. */
const linkTo = (key: string) => store.sign(key, 60, 'f')
async function raw(key: string) {
  const { status, headers, bytes } = await getPacked(await linkTo(key), null, 'identity')
  return { status, type: headers['content-type'], encoding: headers['content-encoding'], bytes }
}
const decoded = async (key: string) => Buffer.from(await (await fetch(await linkTo(key))).arrayBuffer())

test('compressed parts and their plain files are gzip with its header, which HTTP clients decompress', async () => {
  const name = `org-${randomUUID()}/f`
  const parts = await publish(name, 'gzip')
  for (const [index, text] of texts.entries()) {
    const part = parts[index] as NonNullable<(typeof parts)[number]>
    expect([part.bytes, (part.storedBytes ?? 0) < text.length / 10]).toEqual([text.length, true])
    for (const key of [part.key, copiesIn(name)[index] as string]) {
      const { bytes, ...answer } = await raw(key)
      expect(answer).toEqual({ status: 200, type: 'application/json', encoding: 'gzip' })
      expect([bytes.length, gunzipSync(bytes).equals(text)]).toEqual([part.storedBytes, true])
      expect((await decoded(key)).equals(text)).toBe(true)
    }
  }
})

test('without compression objects are the JSON, without such a header', async () => {
  const name = `org-${randomUUID()}/f`
  const parts = await publish(name, 'none')
  for (const key of [...parts.map(({ key }) => key), ...copiesIn(name)]) {
    const { bytes, ...answer } = await raw(key)
    expect(answer).toEqual({ status: 200, type: 'application/json', encoding: undefined })
    expect(texts.some((text) => text.equals(bytes))).toBe(true)
  }
  expect(parts.map((part) => Object.keys(part).join())).toEqual(Array(2).fill('key,bytes,pairs,etag,sha256,statements'))
})

test('plain files of compressed parts are copied once, replaced by those of the next packet, and go with it', async () => {
  const org = `org-${randomUUID()}`
  const name = `${org}/f`
  await publish(name, 'gzip')
  const copied: string[] = []
  const counting: typeof store = {
    ...store,
    copy(from, to) {
      copied.push(to)
      return store.copy(from, to)
    },
  }
  await refreshPlainFiles(counting, generations, name)
  expect(copied).toEqual([])
  await publish(name, 'none')
  expect(await viewOf({ store }, org)).toEqual({ fPart1of2: String(texts[0]), fPart2of2: String(texts[1]) })
  await publish(name, 'gzip')
  expect((await raw(`${name}Part1of2`)).encoding).toBe('gzip')
  await generations.commit(name, removal(), forced)
  expect((await plainFilesOf(store, generations, name)).length).toBe(2)
  expect(await othersFiles(store, generations, name)).toEqual([])
  await refreshPlainFiles(store, generations, name)
  expect(await viewOf({ store }, org)).toEqual({})
})

test('a compressed packet is read back as its JSON, and fails where an object is damaged', async () => {
  const org = `org-${randomUUID()}`
  const [part] = await publish(`${org}/f`, 'gzip')
  const files = await packets.require(org, 'f')
  const read = async (file?: StoredFile) => {
    const chunks: Buffer[] = []
    for await (const chunk of await packets.open(file as StoredFile)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  expect(files.map(({ bytes }) => bytes)).toEqual(texts.map(({ length }) => length))
  for (const [index, text] of texts.entries()) expect((await read(files[index])).equals(text)).toBe(true)
  const key = part?.key as string
  const stored = (await store.get(key)) as Buffer
  for (const damaged of [stored.subarray(0, stored.length - 9), texts[0] as Buffer, stored.fill(0, 100, 110)]) {
    await store.put(key, damaged, 'gzip')
    await expect(read(files[0])).rejects.toMatchObject({ status: 500, code: 'packetDamaged', retryable: false })
  }
  expect((await read(files[1])).equals(texts[1] as Buffer)).toBe(true)
})
