import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { inSlices, uniqueName } from '../../dev/requests.ts'
import { type Pair, parsePart } from '../../packet/parts/parse-part.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { prepare } from '../support/clients/e2e.ts'
import { modelWith } from '../support/models/bound-model.ts'

const { client, org, ids, fields, driver, label } = await prepare(900)

// Slices are ranges of bytes of the stored request, so characters of several bytes are in each sub-request.
const mappedIndices = { ...fields.mappedIndices, 'Schüler 生徒': 'id' }

/** 20 ids each, so that 45 sub-requests make slices of 20, 20 and 5. */
const subRequests = (fileName: string) =>
  inSlices(ids, 20).map((originIds) => ({ ...fields, mappedIndices, originIds, orgName: org, fileName }))

async function publish(requests: readonly object[], query = '') {
  const { status, body, headers } = await client.post(`/1.0/publish/multi${query}`, requests)
  const job = await client.get<JobRecord>(headers.get('Location') as string)
  return { status, body, job: job.body }
}

async function partsOf(fileName: string): Promise<Pair[][]> {
  const { fileLocation, fileLocations } = (await client.get(`/1.0/publish/${org}/${fileName}/url`)).body
  const urls = fileLocations ?? [fileLocation as string]
  return Promise.all(urls.map(async (url) => parsePart(await (await fetch(url)).text())))
}

const texts = (pairs: readonly Pair[]) => pairs.map(({ statement, parameters }) => ({ statement, parameters }))

test('the parts of a large multi follow its slices of 20 sub-requests, in order, and lose nothing', async () => {
  const { status, body, job } = await publish(subRequests('large'), '?batchsize=500')
  expect([status, body.error]).toEqual([200, null])
  const parts = await partsOf('large')
  // For each sub-request: 20 nodes, 20 cleanups, and 21 relationships of the ring, including those to both neighbours.
  expect(parts.map((pairs) => pairs.length)).toEqual([500, 500, 220, 500, 500, 220, 305])
  const pairs = parts.flat()
  const { progress } = job
  expect(progress).toEqual({ ...progress, phase: 'done', subRequests: 45, subRequestsDone: 45, pairs: 2_745, parts: 7 })
  expect(job).toMatchObject({ state: 'succeeded', attempt: 1, report: { identities: [{ label, property: 'id' }] } })
  expect(parts.every((part) => part.at(-1)?.metadata !== null)).toBe(true)

  // The same sub-requests, each slice as its own packet.
  const alone: Pair[] = []
  for (const [index, slice] of inSlices(subRequests('large'), 20).entries()) {
    const fileName = `alone${index}`
    await publish(slice.map((request) => ({ ...request, fileName })))
    alone.push(...(await partsOf(fileName)).flat())
  }
  expect(texts(pairs)).toEqual(texts(alone))
})

test('all slices of a large multi stamp relationships with the time at which it was accepted', async () => {
  const stamps = { timestampRelationships: true, timestampProperty: 'stampedAt', metadata: false }
  const { status, job } = await publish(subRequests('stamped').map((request) => ({ ...request, ...stamps })))
  expect(status).toBe(200)
  const pairs = (await partsOf('stamped')).flat()
  const stamped = pairs.flatMap(({ parameters }) => parameters.stampedAt ?? [])
  expect([new Set(stamped), stamped.length]).toEqual([new Set([BigInt(Date.parse(job.createdAt))]), 945])
})

test('ids missing in its slices are reported once, for the whole', async () => {
  const requests = subRequests('told').map((request, index) => ({
    ...request,
    originIds: [ids[index] as string, `missing${index}`],
    preventCleanup: true,
  }))
  const { job } = await publish(requests)
  const missing = requests.map((_, index) => `missing${index}`)
  expect(job.report?.missing.originIds).toEqual({ count: 45, first: missing })
  const parts = await partsOf('told')
  const told = parts.map((pairs) => pairs.at(-1)?.metadata as { missing: { originIds: string[] } })
  expect(told.flatMap((metadata) => metadata.missing.originIds)).toEqual(missing)
})

test('sub-requests of different slices that identify a node differently are refused, and both are named', async () => {
  const actor = uniqueName('Actor')
  await run(driver, `MATCH (n:\`${label}\` {id: $id}) SET n:\`${actor}\`, n.stage = 's'`, { id: ids[0] })
  const requests: object[] = subRequests('seen')
  const mappedIndices = { DEFAULT_INDEX: actor, DEFAULT_ID_FIELD: 'stage' }
  requests[44] = { ...requests[44], mappedIndices, originIds: ['s'], relationships: undefined }
  const { status, body, job } = await publish(requests)
  const error = `400 Bad Request: [44].mappedIndices: the "${actor}" with "stage" "s" is identified otherwise in [0]`
  expect([status, body.error, job.state]).toEqual([400, error, 'failed'])
  expect((await client.get(`/1.0/publish/${org}?filter=seen`)).body.fileNames).toEqual([])
})

test('sub-requests of different slices are compared as their model completes them', async () => {
  const film = uniqueName('Film')
  await run(driver, `MATCH (n:\`${label}\` {id: $id}) SET n:\`${film}\`, n.title = 't'`, { id: ids[1] })
  const model = await modelWith(client, {
    [label]: { id: ['String', 'unique'] },
    [film]: { title: ['String', 'unique'] },
  })
  const { mappedIndices: _, ...place } = { ...fields, relationships: [] }
  const bound = { ...place, model: model.version, onModelViolation: 'report', metadata: true, orgName: org }
  const requests = ids.slice(0, 20).map((id) => ({ ...bound, index: label, originIds: [id], fileName: 'bound' }))
  requests.push({ ...bound, index: film, originIds: ['t'], fileName: 'bound' })
  const { status, body, job } = await publish(requests)
  const error = `400 Bad Request: [20].mappedIndices: the "${film}" with "title" "t" is identified otherwise in [1]`
  expect([status, body.error, job.state]).toEqual([400, error, 'failed'])
})

test('a slice that cannot be published fails the whole job, with its own error', async () => {
  const requests: object[] = subRequests('broken')
  requests[30] = {
    ...requests[30],
    index: 'NoSuchLabel',
    mappedIndices: { ...fields.mappedIndices, NoSuchLabel: 'id' },
  }
  const { status, body, job } = await publish(requests)
  expect([status, job.state]).toEqual([422, 'failed'])
  expect(body.error).toContain('NoSuchLabel')
})

test('a large multi without any pair is one empty part', async () => {
  const requests = subRequests('empty').map((request) => ({
    ...request,
    originIds: ['nobody'],
    preventCleanup: true,
    metadata: true,
  }))
  const { status, job } = await publish(requests)
  expect([status, job.progress?.parts, job.progress?.pairs]).toEqual([200, 1, 0])
  expect(await partsOf('empty')).toEqual([[]])
  expect(job.report?.missing.originIds.count).toBe(45)
})
