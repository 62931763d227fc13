import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { PacketManifest } from '../../shared/publish/manifest.ts'
import { earlierGenerationKey, generationKey } from '../../shared/storage/keys.ts'
import { type Manifest, voided } from '../../shared/storage/manifest.ts'
import { manifestPath, sha256Of } from '../support/storage/manifest-of.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

const { apiUrl, tokens, env } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const { store, generations } = await openTestStorage(env)
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

const put = (key: string, manifest: object) => store.put(key, Buffer.from(JSON.stringify(manifest)))
const ask = (fileName: string, query = '') => client.get<PacketManifest>(manifestPath(org, fileName, query))

test('of a generation without digests the manifest says what is known, and null for the rest', async () => {
  const contents = ['{"statements":[1]}', '{"statements":[2]}']
  const staged: Manifest = await stagePacket({ store }, `${org}/old`, contents)
  await put(earlierGenerationKey(`${org}/old`, 1), staged)
  const { status, body, headers } = await ask('old')
  expect([status, headers.get('ETag')]).toEqual([200, null])
  const part = { pairs: 1, bytes: 18, sha256: null }
  expect(body).toEqual({
    packet: `${org}/old`,
    generation: 1,
    jobId: staged.jobId,
    createdAt: staged.createdAt,
    expiresAt: null,
    parameterSyntax: null,
    numbers: null,
    pairs: 2,
    bytes: 36,
    sha256: null,
    parts: [1, 2].map((number) => ({ fileName: `oldPart${number}of2`, ...part })),
    statements: null,
    requires: { server: '3.5', constraints: null },
    report: null,
    base: null,
  })
  const linked = await ask('old', '?lifetime=60')
  const texts = linked.body.parts.map(async ({ url }) => (await fetch(url as string)).text())
  expect(await Promise.all(texts)).toEqual(contents)
})

test('of slices by different versions only the parts of the newer have digests, the packet has none', async () => {
  const staged = await stagePacket({ store }, `${org}/both`, ['{"statements":[1]}', '{"statements":[2]}'])
  const [older, newer] = staged.parts
  const digest = sha256Of('{"statements":[2]}')
  const parts = [older, { ...newer, sha256: digest, statements: { nodeUpsert: 1 } }]
  await put(generationKey(`${org}/both`, 1), { ...staged, parts })
  const { body, headers } = await ask('both')
  expect(body.parts.map(({ sha256 }) => sha256)).toEqual([null, digest])
  expect([body.sha256, body.statements, headers.get('ETag')]).toEqual([null, null, null])
})

test('a void generation is looked past: the packet below it is described, and where there is none it is 404', async () => {
  const taken = () => new Error('taken')
  const staged = await stagePacket({ store }, `${org}/kept`, ['{"statements":[]}'])
  await generations.commit(`${org}/kept`, staged, { force: false, taken })
  for (const fileName of ['kept', 'free']) {
    await generations.commit(`${org}/${fileName}`, voided(randomUUID()), { force: true, taken })
  }
  expect((await ask('kept')).body).toMatchObject({ generation: 1, jobId: staged.jobId })
  expect((await ask('free')).status).toBe(404)
})
