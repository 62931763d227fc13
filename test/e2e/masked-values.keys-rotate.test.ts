import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { prepare } from '../support/clients/e2e.ts'
import { databaseOfFile, ownService } from '../support/programs/own-service.ts'

const keyNamed = (name: string) => `${name}:${randomBytes(32).toString('base64')}`
const [older, newer, secrets] = [keyNamed('older'), keyNamed('newer'), keyNamed('secrets')]
const shared = { redisDatabase: await databaseOfFile(), bucket: uniqueName('keys') }
const withKeys = (...keys: string[]) => ({ MASK_KEYS: keys.join(','), SECRET_KEYS: secrets })
const before = await ownService({ ...shared, env: withKeys(older) })
const after = await ownService({ ...shared, env: withKeys(newer, older) })
const { fields, org, label } = await prepare(3, before.service)

const request = { ...fields, originIds: ['p1'], relationships: null, mask: { [label]: { id: 'hash' } }, orgName: org }
const submit = async ({ client }: typeof before, changes: object) => {
  const sent = await client.post('/1.0/publish/', { ...request, ...changes }, { Prefer: 'respond-async' })
  return sent.headers.get('Location') as string
}
const idOf = async (fileName: string) => {
  const { body } = await before.client.get(`/1.0/publish/${org}/${fileName}`)
  return body.transactionRequest?.statements[0]?.parameters.id
}
const maskingOf = async (fileName: string) =>
  (await before.client.get<PacketManifest>(`/1.0/publish/${org}/${fileName}/manifest`)).body.masking?.key

test('a publish ends with the key that it began with, also when another one is the first by then', async () => {
  const worker = await before.service.startWorker()
  await before.client.followJob(await submit(before, { fileName: 'first', asBase: true }), 60_000)
  await worker.stop(20_000)
  const begun = await submit(before, { fileName: 'begun' })
  const rotated = await after.service.startWorker()
  expect((await before.client.followJob(begun, 60_000)).state).toBe('succeeded')
  const next = await after.client.followJob(await submit(after, { fileName: 'next' }), 60_000)
  expect(next.state).toBe('succeeded')
  await rotated.stop(20_000)
  expect([await maskingOf('first'), await maskingOf('begun'), await maskingOf('next')]).toEqual([
    'older',
    'older',
    'newer',
  ])
  expect(await idOf('begun')).toBe(await idOf('first'))
  expect(await idOf('next')).not.toBe(await idOf('first'))
})

test('a base of the old key is refused under the new one', async () => {
  const refused = await after.client.post('/1.0/publish/', { ...request, fileName: 'delta', base: 'first' })
  expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('or another key of them')])
})

test('a worker that lacks the key of a publish fails it, and stores nothing', async () => {
  const job = await submit(after, { fileName: 'lost' })
  const worker = await before.service.startWorker()
  const { state, error } = await after.client.followJob(job, 60_000)
  await worker.stop(20_000)
  expect([state, error?.code, error?.message]).toEqual([
    'failed',
    'maskKeyGone',
    expect.stringContaining('"newer" of this publish is no longer in MASK_KEYS'),
  ])
  expect((await after.client.get(`/1.0/publish/${org}/lost/manifest`)).status).toBe(404)
})
