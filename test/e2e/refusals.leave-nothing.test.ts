import { afterAll, expect, test } from 'vitest'
import type { ClientAnswer, PublishAnswer } from '../../dev/client.ts'
import { run } from '../../dev/replay/neo4j.ts'
import { inSlices, uniqueName } from '../../dev/requests.ts'
import { prepare } from '../support/clients/e2e.ts'
import { expectRefused } from '../support/clients/refusals.ts'
import { openTraces } from '../support/storage/traces.ts'

const { client, org, ids, fields, driver, label } = await prepare(2_500)
const traces = openTraces()
afterAll(() => traces.close())
const request = { ...fields, originIds: ids.slice(0, 3), orgName: org, fileName: 'refused' }
const post = (change: object, headers = {}) => client.post('/1.0/publish/', { ...request, ...change }, headers)
const direct = { index: label, mappedIndices: fields.mappedIndices, originIds: ['p1'], fileName: 'taken' }
const drawing = {
  startIndex: label,
  startIdField: 'id',
  endIndex: label,
  endIdField: 'id',
  type: 'T',
  fileName: 'taken',
  idPairs: [{ startId: 'p1', endId: 'p2' }],
}
const taken = `fileName: "taken" already exists in "${org}" and forceOverwrite is not true`
const nobody = { DEFAULT_INDEX: 'Nobody', DEFAULT_ID_FIELD: 'id' }
const brokenName = 'the node N with the labels "LABEL" has a byte array as its property "photo"'

// The initial state: a packet, and a node that cannot be published.
expect((await post({ fileName: 'taken' })).status).toBe(200)
await run(driver, `CREATE (n:\`${label}\` {id: 'broken', photo: $photo})`, { photo: new Int8Array([1]) })
const before = await traces.settled(org)

/** Replaces the names that differ from run to run. */
const anonymous = (answer: ClientAnswer<PublishAnswer>) => {
  const error = answer.body.error?.replace(/the node \d+/, 'the node N').replace(label, 'LABEL') ?? null
  return { ...answer, body: { ...answer.body, error } }
}

/** Polls: the record and queue entry are settled shortly after the answer, and the request object is removed last. */
const expectNothingLeft = () => expect.poll(() => traces.read(org), { timeout: 60_000 }).toEqual(before)

test('initially there is one packet, and no claim and no unfinished job', () => {
  const own = before.objects.map((key) => key.slice(org.length + 1).replaceAll(/[0-9a-f-]{36}/g, 'ID'))
  const manifest = '.generations/taken/.-9999999998'
  expect(own).toEqual([manifest, `${manifest}=1`, '.org', '.parts/taken/.ID/ID/00000-00001', 'taken'])
  expect([before.claims, before.unfinished]).toEqual([[], []])
})

test.each<[string, () => Promise<ClientAnswer<PublishAnswer>>, number, string]>([
  ['a broken rule', () => post({ metadata: 1 }), 400, 'metadata: must be a boolean'],
  [
    'a broken rule of one sub-request',
    () => client.post('/1.0/publish/multi', [request, { ...request, metadata: 1 }]),
    400,
    '[1].metadata: must be a boolean',
  ],
  [
    'a rule that only the origin can tell to be broken',
    async () => {
      const query = `MATCH (a:\`${label}\` {id: 'p1'})-[r:KNOWS]->() SET r.grn = $org`
      await run(driver, query, { org })
      const byId = { relationshipIds: [org], relationshipIdField: 'grn', preventCleanup: true, relationships: null }
      return post({ ...byId, originIds: ['p1'], hardFilterRelationships: true })
    },
    400,
    `hardFilterRelationships: a node on either side is missing from originIds for the relationshipIds "${org}"`,
  ],
  [
    'an org that does not exist',
    () => post({ orgName: `${org}/none` }),
    404,
    `orgName: "${org}/none" does not exist; create it with POST /1.0/publish/{orgName}`,
  ],
  ['a name that exists', () => post({ fileName: 'taken' }), 409, taken],
  [
    'a name that exists, of multi',
    () => client.post('/1.0/publish/multi', [{ ...request, fileName: 'taken' }]),
    409,
    taken,
  ],
  [
    'a name that exists, of multi told not to overwrite',
    () => client.post('/1.0/publish/multi?forceOverwrite=false', [{ ...request, fileName: 'taken' }]),
    409,
    taken,
  ],
  ['a name that exists, of delete', () => client.post(`/1.0/publish/${org}/delete`, direct), 409, taken],
  [
    'a name that exists, of createrelationships',
    () => client.post(`/1.0/publish/${org}/createrelationships`, drawing),
    409,
    taken,
  ],
  [
    'a body too large',
    () => client.post('/1.0/publish/', JSON.stringify(request).padEnd(1024 * 1024 + 1)),
    413,
    'the body is larger than 1 MiB',
  ],
  [
    'another content type',
    () => post({}, { 'Content-Type': 'text/json' }),
    415,
    'the body must be sent as Content-Type: application/json',
  ],
  [
    'an origin that the policy refuses',
    () => post({ dbUrl: 'bolt://10.0.0.1:7687' }),
    422,
    'dbUrl: this address is not allowed; add it to ORIGIN_ALLOW to allow it',
  ],
  ['a node that cannot be published', () => post({ originIds: ['p1', 'broken'] }), 422, brokenName],
  [
    'a node that cannot be published, of multi told to overwrite',
    () => client.post('/1.0/publish/multi?forceOverwrite=true', [request, { ...request, originIds: ['broken'] }]),
    422,
    brokenName,
  ],
  [
    'nothing of that kind at the origin',
    () => post({ mappedIndices: nobody }),
    422,
    'originIds: the origin has no node with the label "Nobody" and the property "id"',
  ],
  [
    'credentials that the origin refuses',
    () => post({ credentials: `Basic ${btoa('neo4j:wrong')}` }),
    502,
    'the origin database refused the credentials',
  ],
  [
    'an origin that is down',
    () => post({ dbUrl: 'bolt://127.0.0.1:1' }),
    502,
    'the origin database could not be reached',
  ],
])('%s leaves nothing: no object, no claim, no secret, no unfinished job', async (_what, send, status, message) => {
  expectRefused(anonymous(await send()), status, message)
  await expectNothingLeft()
})

test('a publish that fails late shows readers nothing, and its staged parts are removed', async () => {
  const fileName = 'taken'
  const old = await client.get(`/1.0/publish/${org}/${fileName}`)
  const body = [...inSlices(ids, 500), ['broken']].map((originIds) => ({
    ...request,
    relationships: null,
    originIds,
    fileName,
  }))
  const url = '/1.0/publish/multi?batchsize=10&forceOverwrite=true'
  let location = ''
  let staged = 0
  const readings: unknown[] = []
  // In addition to the initial objects: the job's request, and parts. A job may be over before it is looked at.
  for (let round = 0; round < 10 && staged <= before.objects.length + 2; round++) {
    const submitted = await client.post(url, body, { Prefer: 'respond-async' })
    location = submitted.headers.get('Location') as string
    let isOver = false
    const watching = client.followJob(location).finally(() => {
      isOver = true
    })
    while (!isOver) {
      const [keys, listed, read] = await Promise.all([
        traces.objects(org),
        client.get(`/1.0/publish/${org}`),
        client.get(`/1.0/publish/${org}/${fileName}`),
      ])
      staged = Math.max(staged, keys.length)
      readings.push([listed.body.fileNames, read.text === old.text])
    }
    const job = await watching
    expect([job.state, job.attempt, job.error?.status, job.error?.code]).toEqual(['failed', 1, 422, 'unpublishable'])
    await expectNothingLeft()
  }
  expect(staged).toBeGreaterThan(before.objects.length + 2)
  expect(new Set(readings.map((reading) => JSON.stringify(reading)))).toEqual(new Set(['[["taken"],true]']))
  const result = await client.get(`${location}/result`)
  expect(result.status).toBe(422)
  expect((await client.get(`/1.0/publish/${org}/${fileName}`)).text).toBe(old.text)
})

test('the name of a refused publish is free', async () => {
  const fileName = uniqueName('again')
  expect((await post({ fileName, originIds: ['broken'] })).status).toBe(422)
  expect((await post({ fileName })).status).toBe(200)
})
