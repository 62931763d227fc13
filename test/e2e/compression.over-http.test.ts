import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import type { ClientAnswer, PublishAnswer } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { emptyDirectory } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'
import { getPacked } from '../support/clients/raw-http.ts'
import { expectRefused } from '../support/clients/refusals.ts'
import { downloaded, manifestPath, sha256Of } from '../support/storage/manifest-of.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { apiUrl, tokens, env } = inject('service')
const { client, org, ids, fields, clearTarget, to, packets, differing } = await prepareReplay(300)
const { store, generations } = await openTestStorage(env)

const request = (fileName: string, change: object = {}) => ({
  ...fields,
  originIds: ids,
  orgName: org,
  fileName,
  parameterSyntax: 'dollar',
  ...change,
})
const pathOf = (fileName: string, query = '') => `/1.0/publish/${org}/${fileName}${query}`
const nodes = { mappedIndices: fields.mappedIndices, index: fields.mappedIndices.DEFAULT_INDEX, originIds: ['x', 'y'] }
const ends = { startIndex: 'A', startIdField: 'id', endIndex: 'B', endIdField: 'id', type: 'T' }
const pairs = { ...ends, idPairs: [{ startId: '1', endId: '2' }] }
const statementsIn = (text: string) =>
  /"transactionRequests?":(.*?),"(transactionRequests|fileLocation)":/s.exec(text)?.[1]
const partsOf = async (fileName: string) => (await generations.highest(`${org}/${fileName}`))?.manifest.parts ?? []

/** Publishes in the same way without and with compression. @returns both answers. */
async function both(
  fileName: string,
  publish: (fileName: string, change: object) => Promise<ClientAnswer<PublishAnswer>>,
) {
  const plain = await publish(`${fileName}-plain`, {})
  const packed = await publish(fileName, { compression: 'gzip' })
  expect([plain.body.error, plain.status, packed.body.error, packed.status]).toEqual([null, 200, null, 200])
  return { plain, packed }
}

/** Compares everything that is reported about two packets, the second of which is stored compressed. */
async function expectSame(fileName: string, parts: number) {
  const [plain, packed] = [await downloaded(client, org, `${fileName}-plain`), await downloaded(client, org, fileName)]
  expect(packed.parts).toEqual(plain.parts)
  expect(packed.manifest.parts.map(({ sha256 }) => sha256)).toEqual(packed.parts.map(sha256Of))
  const { pairs, bytes, sha256, statements } = plain.manifest
  expect(packed.manifest).toMatchObject({ pairs, bytes, sha256, statements })
  expect(plain.manifest.parts.map((part) => 'compression' in part || 'storedBytes' in part)).toEqual(
    Array(parts).fill(false),
  )
  for (const [index, part] of packed.manifest.parts.entries()) {
    const raw = await getPacked(part.url as string, null, 'identity')
    expect([part.compression, part.storedBytes]).toEqual(['gzip', raw.bytes.length])
    expect([raw.headers['content-encoding'], raw.headers['content-type']]).toEqual(['gzip', 'application/json'])
    expect(gunzipSync(raw.bytes).equals(packed.parts[index] as Buffer)).toBe(true)
  }
  for (const query of ['', '?parameterSyntax=braces']) {
    const [one, other] = [
      await client.get(pathOf(`${fileName}-plain`, query)),
      await client.get(pathOf(fileName, query)),
    ]
    expect([other.status, statementsIn(other.text)]).toEqual([200, statementsIn(one.text)])
  }
}

describe('a compressed packet is the same as one that is not', () => {
  test('a compressed packet of one part is the same as an uncompressed one', async () => {
    const { plain, packed } = await both('one', (name, change) => client.post('/1.0/publish/', request(name, change)))
    expect(statementsIn(packed.text)).toBe(statementsIn(plain.text))
    await expectSame('one', 1)
    const { body: job } = await client.get<{ progress: object }>(packed.headers.get('Location') as string)
    expect(job.progress).toMatchObject({ bytes: (await downloaded(client, org, 'one')).manifest.bytes })
  })

  test('a compressed packet of several parts, built in slices, is the same if one sub-request asks so', async () => {
    const { plain, packed } = await both('sliced', (name, change) => {
      const requests = ids
        .slice(0, 50)
        .map((id, index) => request(name, { originIds: [id], ...(index === 30 ? change : {}) }))
      return client.post('/1.0/publish/multi?batchsize=40', requests)
    })
    expect(statementsIn(packed.text)).toBe(statementsIn(plain.text))
    const count = (await partsOf('sliced')).length
    expect(count).toBeGreaterThan(3)
    await expectSame('sliced', count)
    const part = await client.get(pathOf(`slicedPart2of${count}`))
    expect(statementsIn(part.text)).toBe(String((await downloaded(client, org, 'sliced')).parts[1]))
  })

  test('a compressed packet without pairs, from slices, is the same as an uncompressed one', async () => {
    const nothing = { originIds: ['absent'], preventCleanup: true }
    await both('none', (name, change) =>
      client.post('/1.0/publish/multi', Array(25).fill(request(name, { ...nothing, ...change }))),
    )
    await expectSame('none', 1)
    expect((await downloaded(client, org, 'none')).manifest.pairs).toBe(0)
  })

  test.each([
    ['delete', nodes],
    ['createrelationships', pairs],
  ])('a compressed packet of the endpoint %s is the same as an uncompressed one', async (endpoint, body) => {
    const { plain, packed } = await both(endpoint, (fileName, change) =>
      client.post(`/1.0/publish/${org}/${endpoint}`, { ...body, fileName, ...change }),
    )
    expect(statementsIn(packed.text)).toBe(statementsIn(plain.text))
    await expectSame(endpoint, 1)
  })
})

test('the compressions none, null and absent are the same: the stored part has no field for them', async () => {
  for (const [name, change] of Object.entries({
    absent: {},
    null: { compression: null },
    none: { compression: 'none' },
  })) {
    await client.post('/1.0/publish/', request(`as-${name}`, change))
    const [part] = await partsOf(`as-${name}`)
    expect(Object.keys(part ?? {}).join()).toBe('key,bytes,pairs,etag,sha256,statements')
    const { headers, bytes } = await getPacked(await store.sign(part?.key as string, 60, 'f'), null, 'gzip')
    expect([headers['content-encoding'], sha256Of(bytes)]).toEqual([undefined, part?.sha256])
  }
})

test.each(['', '?parameterSyntax=braces'])('a damaged part is never answered as a whole one %s', async (query) => {
  const fileName = uniqueName('damaged')
  await client.post('/1.0/publish/', request(fileName, { compression: 'gzip' }))
  const key = (await partsOf(fileName))[0]?.key as string
  const stored = (await store.get(key)) as Buffer
  const read = () =>
    getPacked(`${apiUrl}${pathOf(fileName, query)}`, tokens.all as string, 'identity').then(
      ({ status }) => status,
      ({ message }: Error) => message,
    )
  expect(await read()).toBe(200)
  for (const damaged of [stored.subarray(0, stored.length - 20), gunzipSync(stored), Buffer.alloc(0)]) {
    await store.put(key, damaged, 'gzip')
    expect(['aborted', 503]).toContain(await read())
  }
})

describe('compression is refused', () => {
  const storesNothing = 'must not be given together with returnOnly, which stores nothing'

  test('compression is refused where nothing is stored', async () => {
    const change = { returnOnly: true, compression: 'gzip' }
    const refused = (answer: { status: number; body: { error: string | null } }, at = '') =>
      expectRefused(answer as never, 400, `${at}compression: ${storesNothing}`)
    refused(await client.post('/1.0/publish/', request('f', change)))
    refused(await client.post('/1.0/publish/multi', [request('f', change)]), '[0].')
    refused(await client.post(`/1.0/publish/${org}/delete`, { ...nodes, ...change }))
  })

  test('compression is refused if sub-requests differ in it, or if its value is unknown', async () => {
    const given = (...all: (string | null)[]) => all.map((compression) => request('f', { compression }))
    const differs = await client.post('/1.0/publish/multi', given(null, 'gzip', 'none'))
    expectRefused(differs, 400, '[2].compression: must be the same as in [1]')
    const path = `/1.0/publish/${org}/createrelationships`
    for (const compression of ['GZIP', 'zstd', true]) {
      const answer = await client.post(path, { ...pairs, fileName: 'f', compression })
      expectRefused(answer, 400, 'compression: must be one of none, gzip')
    }
  })
})

test('the client copies, downloads, compares and verifies a compressed packet as any other', async () => {
  await clearTarget()
  const file = (name: string) => JSON.stringify(request(name))
  const words = ['--compression', 'gzip', '--create-constraints', '--progress', 'none']
  const copied = await packets(['copy', '-', ...to, ...words, '--restart'], file('copied.json'))
  expect({ code: copied.code, stderr: copied.stderr }).toEqual({ code: 0, stderr: '' })
  expect(await differing()).toEqual([])
  const { body: manifest } = await client.get<PacketManifest>(manifestPath(org, 'copied.json'))
  expect(manifest.parts.map(({ compression }) => compression)).toEqual(['gzip'])

  const directory = join(emptyDirectory(), 'copied')
  expect(await packets(['get', `${org}/copied.json`, '-o', directory])).toMatchObject({ code: 0 })
  const written = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as PacketManifest
  const part = readFileSync(join(directory, 'copied.json'))
  expect([sha256Of(part), part.length]).toEqual([manifest.parts[0]?.sha256, manifest.parts[0]?.bytes])
  expect(written.parts).toEqual([{ fileName: 'copied.json', pairs: 900, bytes: part.length, sha256: sha256Of(part) }])
  const { body } = await client.get(pathOf('copied.json/url'))
  for (const source of [directory, `${org}/copied.json`, body.fileLocation as string]) {
    await clearTarget()
    expect(await packets(['verify', source, ...to])).toMatchObject({ code: 3 })
    expect(await packets(['replay', source, ...to])).toMatchObject({ code: 0, stderr: expect.any(String) })
    expect([await differing(), (await packets(['verify', source, ...to])).code]).toEqual([[], 0])
    expect(await packets(['diff', directory, source])).toMatchObject({ code: 0 })
    expect(JSON.parse((await packets(['inspect', source, '--json'])).stdout)).toMatchObject({
      pairs: 900,
      bytes: part.length,
    })
  }
})
