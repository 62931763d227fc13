import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { runCli } from '../support/clients/cli.ts'
import { modelWith } from '../support/models/bound-model.ts'
import { ownService } from '../support/programs/own-service.ts'
import { manifestPath } from '../support/storage/manifest-of.ts'

const { neo4j } = inject('stack')
// Its worker is started by a test, so that a job can wait.
const { client, as, service } = await ownService({
  tokens: [
    { name: 'writer', orgs: ['*'], scopes: ['publish:write'] },
    { name: 'stranger', orgs: [uniqueName('other')], scopes: ['publish:write', 'manager:read'] },
  ],
})
const origin = openDriver(neo4j)
afterAll(() => origin.close())

const [person, movie, org] = [uniqueName('Person'), uniqueName('Movie'), uniqueName('org')]
const model = await modelWith(client, {
  [person]: { name: ['String', 'unique', 'indexed'], born: ['Integer', 'required'], nick: ['String', 'indexed'] },
  [movie]: { title: ['String', 'unique'], born: ['Integer'] },
})
const { mappedIndices: _, ...place } = database(neo4j, '', '')
const request = { ...place, model: model.name, index: person, originIds: ['Ann', 'Bob'], metadata: true, orgName: org }

beforeAll(async () => {
  await run(
    origin,
    `CREATE (:${person} {name: 'Ann', born: 1970})-[:DIRECTED]->(:${movie} {title: 'M'}), (:${person} {name: 'Bob', born: 'x'})`,
  )
  expect((await client.post(`/1.0/publish/${org}`)).status).toBe(200)
})

const submit = (fileName: string, fields: object = {}, path = '/1.0/publish/') =>
  client.post(path, path.endsWith('multi') ? fields : { ...request, fileName, ...fields }, { Prefer: 'respond-async' })
const refusal = async (fields: object, path = '/1.0/publish/') => {
  const { status, body } = await submit('refused', fields, path)
  return [status, body.error]
}

test('a publish follows the version that was there when it was accepted', { timeout: 240_000 }, async () => {
  const waiting = await submit('people', { onModelViolation: 'report', relationships: ['DIRECTED'] })
  expect([waiting.status, waiting.body.error]).toEqual([202, expect.stringMatching(/^202 Accepted/)])
  const { body } = await model.manager.get(`nodeTypes/${model.version}`)
  for (const { grn } of body.nodeTypes as unknown as { grn: string }[]) {
    expect((await model.manager.delete(`nodeType/${grn}`)).status).toBe(200)
  }
  expect((await submit('people-later')).status).toBe(404)
  await service.startWorker()
  const job = await client.followJob(waiting.headers.get('Location') as string)
  expect(job).toMatchObject({ state: 'succeeded', error: null })
  const problem = 'has the type String in its property "born", which is Integer in the model'
  const report = {
    version: model.version,
    violations: { count: 1, first: [{ label: person, id: 'Bob', property: 'born', rule: 'dataType', problem }] },
    omitted: { labels: 0, properties: 0, nodes: 0 },
    indexed: [
      { label: person, property: 'name' },
      { label: person, property: 'nick' },
    ],
    required: [{ label: person, property: 'born' }],
  }
  expect(job.report?.model).toEqual(report)
  const { body: manifest } = await client.get<PacketManifest>(manifestPath(org, 'people'))
  expect(manifest.report?.model).toEqual(report)
  expect(manifest.requires.constraints?.map(({ label, property }) => [label, property]).sort()).toEqual(
    [
      [person, 'name'],
      [movie, 'title'],
    ].sort(),
  )
  expect(manifest.requires.model).toEqual({
    // The index on `name` comes with its uniqueness constraint.
    indexes: [
      {
        label: person,
        property: 'nick',
        cypher: {
          5: `CREATE INDEX IF NOT EXISTS FOR (n:\`${person}\`) ON (n.\`nick\`)`,
          3.5: `CREATE INDEX ON :\`${person}\`(\`nick\`)`,
        },
      },
    ],
    existence: [
      {
        label: person,
        property: 'born',
        edition: 'enterprise',
        cypher: {
          5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${person}\`) REQUIRE n.\`born\` IS NOT NULL`,
          3.5: `CREATE CONSTRAINT ON (n:\`${person}\`) ASSERT exists(n.\`born\`)`,
        },
      },
    ],
  })
})

test('a model that is not there, or of another org, is 404; without manager:read it is 403', async () => {
  const other = await modelWith(client, { [person]: { name: ['String', 'unique'] } })
  expect(await refusal({ model: 'grn:gg:managerversion:none' })).toEqual([
    404,
    expect.stringMatching(/there is no manager version/),
  ])
  expect(await refusal({ model: uniqueName('none') })).toEqual([
    404,
    expect.stringMatching(/there is no manager named/),
  ])
  const body = { ...request, model: other.version, fileName: 'x', returnOnly: true }
  expect((await client.post('/1.0/publish/', { ...body, originIds: ['Ann'], onModelViolation: 'report' })).status).toBe(
    200,
  )
  const stranger = await as('stranger').post('/1.0/publish/', body)
  expect([stranger.status, stranger.body.error]).toEqual([404, expect.stringMatching(/there is no manager version/)])
  const writer = await as('writer').post('/1.0/publish/', body)
  expect([writer.status, writer.body.error]).toEqual([403, '403 Forbidden: the token lacks the scope manager:read'])
})

test('a request that contradicts the model is 400, and so are sub-requests with different models', async () => {
  const own = await modelWith(client, {
    [person]: { name: ['String', 'unique'] },
    [movie]: { title: ['String', 'unique'] },
  })
  const bound = { ...request, model: own.version, fileName: 'multi' }
  expect(await refusal({ model: own.version, index: undefined })).toEqual([
    400,
    `400 Bad Request: index: the model version ${own.version} has 2 node types: give index, or mappedIndices`,
  ])
  expect(await refusal({ model: own.version, deleteProperties: ['name'] })).toEqual([
    400,
    '400 Bad Request: deleteProperties: must not name "name", an id property of mappedIndices',
  ])
  expect(
    await refusal({
      model: undefined,
      onModelViolation: 'omit',
      mappedIndices: { DEFAULT_INDEX: person, DEFAULT_ID_FIELD: 'name' },
    }),
  ).toEqual([400, '400 Bad Request: onModelViolation: needs model'])
  const multi = (second: object) =>
    refusal([bound, { ...bound, originIds: ['Bob'], ...second }] as object, '/1.0/publish/multi')
  expect(await multi({ model: own.name })).toEqual([400, '400 Bad Request: [1].model: must be the same as in [0]'])
  expect(await multi({ onModelViolation: 'omit' })).toEqual([
    400,
    '400 Bad Request: [1].onModelViolation: must be the same as in [0]',
  ])
  expect(await multi({ targetFilter: 'None' })).toEqual([
    400,
    `400 Bad Request: [1].targetFilter: "None" is no node type of the model version ${own.version}`,
  ])
  const taken = {
    mappedIndices: { DEFAULT_INDEX: person, DEFAULT_ID_FIELD: 'name' },
    index: person,
    originIds: ['Ann'],
    returnOnly: true,
    model: own.name,
  }
  expect((await client.post(`/1.0/publish/${org}/delete`, taken)).body.error).toBe(
    '400 Bad Request: model: not taken here, as nothing is read',
  )
})

test('a dry run lists every violation; the client prints it, and publishes with the same options', {
  timeout: 240_000,
}, async () => {
  const own = await modelWith(client, { [person]: { name: ['String', 'unique'], nick: ['String', 'required'] } })
  const asked = { ...request, model: own.version }
  const { body } = await client.post<{ dryRun: DryRun }>('/1.0/publish/?dryRun=true', asked)
  const { unpublishable, model: found } = body.dryRun
  expect(unpublishable.first.map(({ id, reason }) => `${id} ${reason}`).sort()).toEqual(
    ['Ann', 'Bob'].flatMap((id) => [
      `${id} has a property "born", which its node type "${person}" does not have`,
      `${id} has no property "nick", which its node type "${person}" requires`,
    ]),
  )
  expect(found?.violations.count).toBe(4)
  const environment = { PACKETS_URL: service.apiUrl, PACKETS_TOKEN: service.tokens.all as string }
  const { model: _, ...unbound } = asked
  const options = [
    'publish',
    '-',
    '--model',
    own.name,
    '--on-model-violation',
    'omit',
    '--name',
    'by-client',
    '--progress',
    'none',
  ]
  const { code, stdout } = await runCli(options, environment, JSON.stringify(unbound))
  expect([code, stdout]).toEqual([0, expect.stringContaining('left out by the model: 2 nodes')])
  const job = await client.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}`)
  expect(job.body.jobs[0]?.report?.skipped.nodes).toBe(2)
})
