import { describe, expect, test } from 'vitest'
import { createClient, type PublishAnswer } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { overrides } from '../../dev/service.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { prepare } from '../support/clients/e2e.ts'
import { expectRefused } from '../support/clients/refusals.ts'
import { ownService } from '../support/programs/own-service.ts'

const { service, client } = await ownService({
  workers: 1,
  env: { PACKET_RETENTION_DAYS: '2', ...overrides({ janitorSeconds: 1 }) },
})
const { org, ids, fields } = await prepare(25, service)

const dayMs = 24 * 3_600_000
// Long enough to be read, short enough to wait for.
const fewSeconds = 6 / 86_400
const soon = { timeout: 60_000, interval: 200 }

interface Listing extends PublishAnswer {
  expiresAt: (string | null)[]
  next: string | null
}

interface OpenApi {
  paths: Record<string, { post: { responses: object } }>
}

const request = (change: object = {}) => ({ ...fields, originIds: ids, orgName: org, fileName: 'f', ...change })
const path = (file: string, inOrg = org) => `/1.0/publish/${inOrg}/${encodeURIComponent(file)}`
const multi = (body: object[], query = '', headers = {}) => client.post(`/1.0/publish/multi${query}`, body, headers)
const manifestOf = async (file: string) =>
  (await client.get<{ createdAt: string; expiresAt: string | null }>(`${path(file)}/manifest`)).body
const list = async (filter: string) => (await client.get<Listing>(`/1.0/publish/${org}?filter=${filter}`)).body
const jobOf = async (answer: { headers: Headers }) =>
  (await client.get<JobRecord>(answer.headers.get('Location') as string)).body
const daysOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }) =>
  expiresAt === null ? null : (Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs
/** When a link ends, in milliseconds since the epoch. */
function endOf(url: string): number {
  const { searchParams } = new URL(url)
  const signedAt = String(searchParams.get('X-Amz-Date')).replace(
    /^(....)(..)(..)T(..)(..)(..)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  return Date.parse(signedAt) + Number(searchParams.get('X-Amz-Expires')) * 1_000
}
const statusesOf = async (paths: readonly string[]) =>
  (await Promise.all(paths.map((each) => client.get(each)))).map(({ status }) => status)

describe('a packet lives', () => {
  test('a packet of any endpoint lives as long as PACKET_RETENTION_DAYS or its request says, if less', async () => {
    const nodes = { mappedIndices: fields.mappedIndices, index: fields.mappedIndices.DEFAULT_INDEX, originIds: ['x'] }
    const ends = { startIndex: 'A', startIdField: 'id', endIndex: 'B', endIdField: 'id', type: 'T' }
    const pairs = { ...ends, idPairs: [{ startId: '1', endId: '2' }] }
    const sliced = ids.map((id) => ({ originIds: [id] }))
    const one = (change: object) => (fileName: string) => client.post('/1.0/publish/', request({ fileName, ...change }))
    const many = (changes: object[]) => (fileName: string) =>
      multi(changes.map((change) => request({ fileName, ...change })))
    const direct = (endpoint: string, body: object) => (fileName: string) =>
      client.post(`/1.0/publish/${org}/${endpoint}`, { ...body, fileName })
    const told: Record<string, string | null> = {}
    for (const [file, days, publish] of [
      ['life-setting', 2, one({})],
      ['life-null', 2, one({ expiresAfterDays: null })],
      ['life-own', 0.5, one({ expiresAfterDays: 0.5 })],
      ['life-most', 2, one({ expiresAfterDays: 2 })],
      ['life-multi', 1, many([{}, { expiresAfterDays: 1, fileName: null }])],
      ['life-sliced', 1.5, many([{ ...sliced[0], expiresAfterDays: 1.5 }, ...sliced.slice(1)])],
      ['life-delete', 1, direct('delete', { ...nodes, expiresAfterDays: 1 })],
      ['life-deleted', 2, direct('delete', nodes)],
      ['life-create', 1, direct('createrelationships', { ...pairs, expiresAfterDays: 1 })],
    ] as const) {
      const answer = await publish(file)
      expect([file, answer.status, answer.body.error]).toEqual([file, 200, null])
      const manifest = await manifestOf(file)
      expect([file, daysOf(manifest)]).toEqual([file, days])
      if (answer.headers.has('Location')) expect((await jobOf(answer)).expiresAt).toBe(manifest.expiresAt)
      told[file] = manifest.expiresAt
    }
    const { fileNames, expiresAt, next } = await list('life-')
    const packetOf = (name: string) => name.replace(/Part.*/, '')
    expect(new Set(fileNames?.map(packetOf))).toEqual(new Set(Object.keys(told)))
    expect([expiresAt, next]).toEqual([fileNames?.map((name) => told[packetOf(name)]), null])
  })

  test('without PACKET_RETENTION_DAYS, a packet lives for ever, or as long as its request asks', async () => {
    const { apiUrl } = await service.startApi({ PACKET_RETENTION_DAYS: '' })
    const unlimited = createClient(apiUrl, service.tokens.all as string)
    for (const [fileName, expiresAfterDays] of [
      ['ever', null],
      ['century', 36_500],
    ] as const) {
      const answer = await unlimited.post('/1.0/publish/', request({ fileName, expiresAfterDays }))
      expect(answer.status).toBe(200)
      expect(daysOf(await manifestOf(fileName))).toBe(expiresAfterDays)
      expect((await jobOf(answer)).expiresAt).toBe((await manifestOf(fileName)).expiresAt)
    }
    expect((await list('ever')).expiresAt).toEqual([null])
  })
})

test('an expired packet is gone on every endpoint at once, and its name is free', async () => {
  const body = [request({ fileName: 'short', expiresAfterDays: fewSeconds })]
  const key = { 'Idempotency-Key': uniqueName('key') }
  const published = await multi(body, '?batchsize=40', key)
  const location = published.headers.get('Location') as string
  const parts = ['shortPart1of2', 'shortPart2of2']
  expect([published.status, (await list('short')).fileNames]).toEqual([200, parts])
  const { body: linked } = await client.get(`${path('short')}/url?lifetime=86400`)
  const links = [...(published.body.fileLocations ?? []), ...(linked.fileLocations ?? [])]
  const expiresAt = Date.parse(String((await manifestOf('short')).expiresAt))
  expect(links).toHaveLength(4)
  for (const url of links) {
    expect(endOf(url)).toBeLessThanOrEqual(expiresAt)
    expect(endOf(url)).toBeGreaterThan(expiresAt - 2_000)
  }

  await expect.poll(async () => (await client.get(`${path('short')}/manifest`)).status, soon).toBe(404)
  const names = ['short', ...parts]
  const paths = names.flatMap((name) => [path(name), `${path(name)}/url`])
  expect(await statusesOf([...paths, path('short', `${org}`)])).toEqual(Array(7).fill(404))
  const byPrefix = await client.post<Listing>(`/1.0/publish/${org}/files`, { usePrefixes: true, fileNames: ['short'] })
  expect([(await list('short')).fileNames, byPrefix.body.fileNames, byPrefix.body.expiresAt]).toEqual([[], [], []])
  expect((await client.call('DELETE', path('short'))).status).toBe(404)
  expectRefused(
    await client.get(`${location}/result`),
    410,
    "the job's packet was replaced or has expired, and is gone",
  )
  expect((await client.get<JobRecord>(location)).body).toMatchObject({ state: 'succeeded' })
  // The S3 server of the tests serves a link until the end of its last second.
  for (const url of links) await expect.poll(async () => (await fetch(url)).ok, soon).toBe(false)

  const repeated = await multi(body, '?batchsize=40', key)
  expect([repeated.status, repeated.headers.get('Location')]).toEqual([410, location])
  const { paths: told } = (await client.get<OpenApi>('/openapi.json')).body
  for (const each of ['/1.0/publish/', '/1.0/publish/multi']) expect(told[each]?.post.responses).toHaveProperty('410')

  const again = await client.post('/1.0/publish/', request({ fileName: 'short' }))
  expect([again.status, (await list('short')).fileNames]).toEqual([200, ['short']])
  expect((await client.get(path('short'))).body.transactionRequest).toEqual(again.body.transactionRequest)
})

describe('expiresAfterDays', () => {
  const refused = async (change: object, message: string, query = '') => {
    const fileName = uniqueName('refused')
    expectRefused(await client.post(`/1.0/publish/${query}`, request({ fileName, ...change })), 400, message)
  }
  const tooLong = 'must be at most 2, the PACKET_RETENTION_DAYS of this service'
  const stored = 'expiresAfterDays: must not be given together with returnOnly, which stores nothing'

  test.each([
    [0, 'must be more than 0'],
    [-1, 'must be more than 0'],
    [36_500.5, 'must be at most 36500'],
    ['1', 'must be a number'],
    [2.001, tooLong],
  ])('expiresAfterDays must not be %j', async (expiresAfterDays, message) => {
    await refused({ expiresAfterDays }, `expiresAfterDays: ${message}`)
  })

  test('expiresAfterDays is refused where nothing is stored, and refused by a dry run as by the publish', async () => {
    await refused({ expiresAfterDays: 1, returnOnly: true }, stored)
    await refused({ expiresAfterDays: 3 }, `expiresAfterDays: ${tooLong}`, '?dryRun=true')
    const nodes = { mappedIndices: fields.mappedIndices, index: fields.mappedIndices.DEFAULT_INDEX, originIds: ['x'] }
    const remove = (change: object) => client.post(`/1.0/publish/${org}/delete`, { ...nodes, ...change })
    expectRefused(await remove({ returnOnly: true, expiresAfterDays: 1 }), 400, stored)
    expectRefused(await remove({ fileName: 'd', expiresAfterDays: 3 }), 400, `expiresAfterDays: ${tooLong}`)
  })

  test('expiresAfterDays must be equal in all sub-requests; the error names the one that asks too much', async () => {
    const given = (...days: (number | null)[]) =>
      multi(days.map((expiresAfterDays) => request({ fileName: 'agreed', expiresAfterDays })))
    expectRefused(await given(1, null, 1.5), 400, '[2].expiresAfterDays: must be the same as in [0]')
    expectRefused(await given(null, 3, 3), 400, `[1].expiresAfterDays: ${tooLong}`)
  })

  test('expiresAfterDays counts in the comparison of an Idempotency-Key; another setting does not', async () => {
    const { apiUrl } = await service.startApi({ PACKET_RETENTION_DAYS: '1' })
    const stricter = createClient(apiUrl, service.tokens.all as string)
    const fileName = 'keyed'
    const key = { 'Idempotency-Key': uniqueName('key') }
    const first = await client.post('/1.0/publish/', request({ fileName }), key)
    const again = await stricter.post('/1.0/publish/', request({ fileName }), key)
    expect([first.status, again.headers.get('Location')]).toEqual([200, first.headers.get('Location')])
    expect(daysOf(await manifestOf(fileName))).toBe(2)
    const other = await client.post('/1.0/publish/', request({ fileName, expiresAfterDays: 2 }), key)
    expect(other.status).toBe(422)
  })
})
