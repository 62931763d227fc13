import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { overrides, startService } from '../../dev/service.ts'
import { expectRefused } from '../support/clients/refusals.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'
import { openTraces } from '../support/storage/traces.ts'

// An API with small caps, and no worker at first, so that jobs stay queued.
const { neo4j, ...stack } = inject('stack')
const directory = mkdtempSync(join(tmpdir(), 'caps-'))
const redisDatabase = await databaseOfFile()
const service = await startService(
  { ...stack, neo4j },
  {
    directory,
    workers: 0,
    redisDatabase,
    bucket: uniqueName('caps'),
    env: {
      ...overrides({ returnOnlyPairs: 10 }),
      INLINE_LIMIT_BYTES: '4000',
      MAX_QUEUED_JOBS: '3',
      JOB_MAX_PAIRS: '30',
    },
  },
)
const client = createClient(service.apiUrl, service.tokens.all as string)
const traces = openTraces(service)
const driver = openDriver(neo4j)
afterAll(async () => {
  await Promise.all([service.stop(), traces.close(), driver.close()])
  rmSync(directory, { recursive: true })
})
const [label, org, other] = [uniqueName('Person'), uniqueName('org'), uniqueName('other')]
const ids = await drawRing(driver, label, 40)
await run(driver, `CREATE (:\`${label}\` {id: 'long', text: $text})`, { text: 'x'.repeat(4_000) })
for (const one of [org, other]) await client.post(`/1.0/publish/${one}`)
const nodes = { ...database(neo4j, label, 'id'), metadata: true, originIds: ids.slice(0, 2), orgName: org }
const deletion = { mappedIndices: nodes.mappedIndices, index: label, originIds: ['x'] }
const drawing = {
  startIndex: label,
  startIdField: 'id',
  endIndex: label,
  endIdField: 'id',
  type: 'T',
  idPairs: [{ startId: 'p1', endId: 'p2' }],
}
const later = { Prefer: 'respond-async' }
const jobs: string[] = []

test.each(['/1.0/publish/', '/1.0/publish/multi'])(
  '%s with returnOnly is 413 over its pair limit and its byte limit',
  async (path) => {
    const send = (originIds: string[]) => {
      const request = { ...nodes, returnOnly: true, originIds }
      return client.post(path, path.endsWith('multi') ? [request] : request)
    }
    expect((await send(ids.slice(0, 10))).body.transactionRequest?.statements.length).toBe(10)
    const pairs = 'returnOnly: the packet is over 10 pairs; store it instead'
    expectRefused(await send(ids.slice(0, 11)), 413, pairs)
    expectRefused(
      await send(['long']),
      413,
      'returnOnly: the packet is over INLINE_LIMIT_BYTES (4000); store it instead',
    )
    expect(await traces.objects(org)).toEqual([`${org}/.org`])
  },
)

test('delete with returnOnly is 413 over its byte limit', async () => {
  const body = { ...deletion, originIds: ['x'.repeat(4_000)], returnOnly: true }
  const message = 'returnOnly: the packet is over INLINE_LIMIT_BYTES (4000); store it instead'
  expectRefused(await client.post(`/1.0/publish/${org}/delete`, body), 413, message)
})

test('a queued publish is 202 and holds its name; others with that name are 409 with its job', async () => {
  const first = await client.post('/1.0/publish/', { ...nodes, fileName: 'held' }, later)
  const location = first.headers.get('Location') as string
  jobs.push(location)
  const id = location.slice('/1.0/jobs/'.length)
  expect([first.status, first.body.error, first.headers.get('Retry-After')]).toEqual([
    202,
    `202 Accepted: still being built, see /1.0/jobs/${id}`,
    '2',
  ])
  expect(await traces.read(org)).toEqual({
    objects: [`${org}/.jobs/${id}/request`, `${org}/.org`],
    claims: [`packets:claim:${org}/held`],
    unfinished: [`${id} queued, prioritized in the queue`, `${id} has secrets`],
  })
  const message = `fileName: another publish is writing "held" in "${org}"`
  for (const again of [
    await client.post('/1.0/publish/', { ...nodes, fileName: 'held' }),
    await client.post('/1.0/publish/multi', [{ ...nodes, fileName: 'held' }]),
    await client.post(`/1.0/publish/${org}/delete`, { ...deletion, fileName: 'held' }),
    await client.post(`/1.0/publish/${org}/createrelationships`, { ...drawing, fileName: 'held' }),
  ]) {
    expectRefused(again, 409, message)
    expect(again.headers.get('Location')).toBe(location)
  }
  expect((await traces.read(org)).objects).toEqual([`${org}/.jobs/${id}/request`, `${org}/.org`])
})

test('with the queue full, for an org or for all, a publish is refused with Retry-After and leaves nothing', async () => {
  const prefer = { Prefer: 'wait=1, return=minimal' }
  const second = await client.post('/1.0/publish/multi', [{ ...nodes, fileName: 'second' }], prefer)
  jobs.push(second.headers.get('Location') as string)
  expect([second.status, second.headers.get('Preference-Applied')]).toEqual([202, 'wait=1, return=minimal'])
  const before = await traces.read(org)
  const submitAll = async (status: number, message: string) => {
    for (const refused of [
      await client.post('/1.0/publish/', { ...nodes, fileName: 'third' }, later),
      await client.post('/1.0/publish/multi?forceOverwrite=true', [{ ...nodes, fileName: 'held' }], later),
    ]) {
      expectRefused(refused, status, message)
      expect([refused.headers.get('Retry-After'), refused.headers.get('Location')]).toEqual(['5', null])
    }
  }
  await submitAll(429, 'this org has too many unfinished publishes; try again when one has finished')
  const last = await client.post('/1.0/publish/', { ...nodes, orgName: other, fileName: 'last' }, later)
  expect(last.status).toBe(202)
  jobs.push(last.headers.get('Location') as string)
  await submitAll(503, 'too many publishes are waiting; try again later')
  expect(await traces.read(org)).toEqual(before)
  expect((await client.post('/1.0/publish/', { ...nodes, returnOnly: true })).status).toBe(200)
})

test('once a worker has emptied the queue, publishes are accepted again', async () => {
  await service.startWorker()
  const states = await Promise.all(jobs.map(async (location) => (await client.followJob(location)).state))
  expect(states).toEqual(['succeeded', 'succeeded', 'succeeded'])
  const third = await client.post('/1.0/publish/', { ...nodes, fileName: 'third' })
  expect([third.status, third.body.transactionRequest?.statements.length]).toEqual([200, 2])
})

test('a job over its pair limit is 413, names the job and leaves nothing', async () => {
  const before = await traces.settled(org)
  const many = [{ ...nodes, originIds: ids.slice(0, 31), fileName: 'many' }]
  const answer = await client.post('/1.0/publish/multi?batchsize=5', many)
  expectRefused(answer, 413, 'the packet has more than 30 statement/parameter pairs')
  const job = await client.get<{ state: string }>(answer.headers.get('Location') as string)
  expect(job.body.state).toBe('failed')
  await expect.poll(() => traces.read(org), { timeout: 60_000 }).toEqual(before)
})

test('a packet over the inline cap is returned and read back by its locations', async () => {
  const many = [{ ...nodes, originIds: ids.slice(0, 30), fileName: 'large' }]
  const { status, body } = await client.post('/1.0/publish/multi?batchsize=15', many)
  expect([status, body.error, body.transactionRequest, body.transactionRequests]).toEqual([200, null, null, null])
  expect(body.fileLocations?.length).toBe(2)
  const message = 'the packet is larger than 4,000 bytes; use the /url endpoint instead'
  expectRefused(await client.get(`/1.0/publish/${org}/large`), 413, message)
  // A single part is streamed whatever its size.
  await client.post('/1.0/publish/', { ...nodes, originIds: ['long'], fileName: 'long' })
  const long = await client.get(`/1.0/publish/${org}/long`)
  expect([long.status, long.text.length > 4_000]).toEqual([200, true])
})

test('Prefer: return=minimal leaves the statements out', async () => {
  const prefer = { Prefer: 'return=minimal, wait=55, handling=lenient' }
  const { status, headers, body } = await client.post('/1.0/publish/', { ...nodes, fileName: 'minimal' }, prefer)
  expect([status, headers.get('Preference-Applied')]).toEqual([200, 'wait=55, return=minimal'])
  expect(body).toEqual({
    transactionRequest: null,
    transactionRequests: null,
    fileLocation: expect.stringMatching(/^http/),
    fileLocations: null,
    fileNames: null,
    error: null,
    usePrefixes: null,
  })
})
