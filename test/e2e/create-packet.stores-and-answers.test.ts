import { expect, test } from 'vitest'
import { prepare } from '../support/clients/e2e.ts'

const { client, org, ids, fields } = await prepare(600)
const request = (fileName: string, more: object = {}) => ({
  ...fields,
  originIds: ids.slice(0, 3),
  orgName: org,
  fileName,
  ...more,
})

test('a stored publish returns its statements, one location, and the job that made it', async () => {
  const { status, headers, body } = await client.post('/1.0/publish/', request('stored'))
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual([
    'transactionRequest',
    'transactionRequests',
    'fileLocation',
    'fileLocations',
    'fileNames',
    'error',
    'usePrefixes',
  ])
  expect(body).toMatchObject({
    transactionRequests: null,
    fileLocations: null,
    fileNames: null,
    error: null,
    usePrefixes: null,
  })
  // p1, p2, p3: three nodes, their four relationships, three cleanups.
  expect(body.transactionRequest?.statements.length).toBe(10)
  const job = await client.get<Record<string, unknown>>(headers.get('Location') as string)
  expect(job.body).toMatchObject({
    kind: 'publish',
    state: 'succeeded',
    orgName: org,
    fileName: 'stored',
    attempt: 1,
    progress: { phase: 'done', subRequests: 1, subRequestsDone: 1, pairs: 10, parts: 1 },
    report: { missing: { originIds: { count: 0, first: [] } }, collapsed: 0 },
    error: null,
  })
  const download = await fetch(body.fileLocation as string)
  expect(await download.json()).toEqual(body.transactionRequest)
  expect(download.headers.get('Content-Disposition')).toContain('stored')
})

test('only the last statement carries metadata, about the contents of the part', async () => {
  const { body } = await client.post(
    '/1.0/publish',
    request('metadata', { relationships: null, originIds: ['p1', 'nobody'] }),
  )
  const { statements } = body.transactionRequest ?? { statements: [] }
  expect(statements.map(({ metadata }) => metadata)).toEqual([
    {
      qa: {
        mappedIndices: fields.mappedIndices,
        relationshipIdField: null,
        relationships: [],
        nodes: { id: { p1: ['id', 'marker', 'rank'] } },
      },
      missing: { originIds: ['nobody'], relationshipIds: [] },
    },
  ])
})

test('returnOnly returns the statements and stores nothing', async () => {
  const { status, body } = await client.post('/1.0/publish/', { ...fields, originIds: ['p1'], returnOnly: true })
  expect(status).toBe(200)
  expect(body.transactionRequest?.statements.length).toBe(4)
  expect(body.fileLocation).toBeNull()
  const stored = await client.get(`/1.0/publish/${org}?filter=return`)
  expect(stored.body.fileNames).toEqual([])
})

test('an existing name is refused with 409 and keeps its packet', async () => {
  await client.post('/1.0/publish/', request('taken'))
  const { status, body } = await client.post('/1.0/publish/', request('taken', { originIds: ['p9'] }))
  expect(status).toBe(409)
  expect(body.error).toBe(`409 Conflict: fileName: "taken" already exists in "${org}" and forceOverwrite is not true`)
  const kept = await client.get(`/1.0/publish/${org}/taken`)
  expect(kept.body.transactionRequest?.statements.length).toBe(10)
})

test.each([
  [
    'wrong credentials',
    { credentials: `Basic ${btoa('neo4j:wrong')}` },
    502,
    'the origin database refused the credentials',
  ],
  [
    'a refused address',
    { dbUrl: 'bolt://10.0.0.1:7687' },
    422,
    'dbUrl: this address is not allowed; add it to ORIGIN_ALLOW to allow it',
  ],
  [
    'an unknown org',
    { orgName: 'nowhere' },
    404,
    'orgName: "nowhere" does not exist; create it with POST /1.0/publish/{orgName}',
  ],
  [
    'a mistyped index',
    { mappedIndices: { ...fields.mappedIndices, Persn: 'id' }, index: 'Persn' },
    422,
    'originIds: the origin has no node with the label "Persn" and the property "id"',
  ],
])('a publish with %s is refused', async (name, change, status, message) => {
  const { status: actual, body } = await client.post(
    '/1.0/publish/',
    request(`refused-${name.replaceAll(' ', '-')}`, change),
  )
  expect([actual, body.error?.replace(/^\d+ [^:]*: /, '')]).toEqual([status, message])
  expect({ ...body, error: null }).toEqual({
    transactionRequest: null,
    transactionRequests: null,
    fileLocation: null,
    fileLocations: null,
    fileNames: null,
    error: null,
    usePrefixes: null,
  })
  expect(body.error?.startsWith(`${status} `)).toBe(true)
})

test('an unreachable origin is a 502 that does not reveal the address, after retries by the queue', async () => {
  const down = { ...request('down'), dbUrl: 'bolt://127.0.0.1:1' }
  const error = '502 Bad Gateway: the origin database could not be reached'
  const returned = await client.post('/1.0/publish/', { ...down, returnOnly: true })
  expect([returned.status, returned.body.error]).toEqual([502, error])
  const stored = await client.post('/1.0/publish/', down)
  expect([stored.status, stored.body.error]).toEqual([502, error])
  const job = await client.get<Record<string, unknown>>(stored.headers.get('Location') as string)
  expect(job.body).toMatchObject({ state: 'failed', attempt: 3, error: { status: 502, code: 'originUnreachable' } })
  expect((await client.get(`/1.0/publish/${org}?filter=down`)).body.fileNames).toEqual([])
})

test('all broken rules are reported together, unknown fields with the nearest name', async () => {
  const { status, body } = await client.post('/1.0/publish/', {
    dbUrl: 'neo4j+ssc://h',
    preventCleanUp: true,
    originIds: 'p1',
  })
  expect(status).toBe(400)
  expect(body.error?.split('; ')).toEqual([
    '400 Bad Request: dbUrl: must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else',
    'preventCleanUp: unknown field, did you mean `preventCleanup`?',
    'originIds: must be an array',
    'credentials: required',
    'mappedIndices: required unless model or select is given',
    'metadata: required when relationshipIds and relationships are both empty',
    'relationships: required when metadata is not true and relationshipIds is empty',
    'relationshipIds: required when metadata is not true and relationships is empty',
    'orgName: required unless returnOnly is true',
    'fileName: required unless returnOnly is true',
  ])
})

test('respond-async returns 202 and the job at once; its result is what the POST would have returned', async () => {
  const { status, headers, body } = await client.post('/1.0/publish/', request('later'), { Prefer: 'respond-async' })
  const location = headers.get('Location') as string
  expect([status, body.error, headers.get('Preference-Applied')]).toEqual([
    202,
    `202 Accepted: still being built, see ${location}`,
    'respond-async',
  ])
  await client.followJob(location)
  const result = await client.get(`${location}/result`)
  expect(result.status).toBe(200)
  expect(result.body.transactionRequest?.statements.length).toBe(10)
})
