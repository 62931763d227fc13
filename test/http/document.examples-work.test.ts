import { afterAll, expect, inject, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { documented } from '../support/clients/documented.ts'
import { type Names, requestTo } from '../support/clients/every-endpoint.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'
import { callbackSettings, newSecret, startReceiver } from '../support/servers/receiver.ts'

// The second database keeps the models, so that this file has its own manager named `default`, which search uses.
const { neo4j, redis, ...stack } = inject('stack')
const models = stack.target as Neo4jAddress
const { database: redisDatabase, release } = await ownDatabase(redis.url)
afterAll(release)
const receiver = await startReceiver()
const { client } = await ownService({
  redisDatabase,
  workers: 1,
  env: {
    ...callbackSettings([receiver], newSecret()),
    MANAGER_DB_URL: models.boltUrl,
    MANAGER_DB_USER: models.username,
    MANAGER_DB_PASSWORD: models.password,
  },
})
const call = documented(client)
const driver = openDriver(neo4j)
afterAll(() => driver.close())
const label = uniqueName('Airport')
await run(
  driver,
  `CREATE (:\`${label}\` {iata: 'SEA', name: 'Seattle'})-[:FLIGHT {count: 7}]->(:\`${label}\` {iata: 'JFK'})`,
)

const untouched = new Set(endpoints)
const { dbUrl, credentials } = database(neo4j, label, 'iata')

type Records = Record<string, { grn: string; key: string; name: string }>

/** Sends an endpoint its example, with this file's database and the given names. Expects a documented 200. */
async function works(endpointName: string, names: Names = {}): Promise<Records> {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === endpointName) as Endpoint
  const sent = requestTo(endpoint, { orgName: 'demo', dbUrl, credentials, ...names })
  const body = sent.body && JSON.parse(JSON.stringify(sent.body).replaceAll('"Airport"', JSON.stringify(label)))
  const isSent = sent.method !== 'GET' && body !== undefined
  const answer = await call<Records>(sent.method, sent.path, isSent ? body : undefined)
  expect([endpointName, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([endpointName, 200, ''])
  untouched.delete(endpoint)
  return answer.body
}

test('the examples of the publish area and its jobs work', async () => {
  await works('get /1.0/publish/status')
  await works('post /1.0/publish/:orgName')
  await works('post /1.0/publish/')
  await works('post /1.0/publish/multi')
  await works('post /1.0/publish/:orgName/delete')
  await works('post /1.0/publish/:orgName/createrelationships')
  await works('get /1.0/publish/:orgName')
  await works('post /1.0/publish/:orgName/mentions')
  await works('post /1.0/origin/names')
  const { fileNames } = (await works('post /1.0/publish/:orgName/files')) as unknown as { fileNames: string[] }
  expect(fileNames).toEqual(['two-airports.json'])
  for (const fileName of ['two-airports.json', 'airports-in-parts.json', 'no-airports.json', 'new-flights.json']) {
    await works('get /1.0/publish/:orgName/:fileName', { fileName })
    await works('get /1.0/publish/:orgName/:fileName/url', { fileName })
    await works('get /1.0/publish/:orgName/:fileName/manifest', { fileName })
  }
  await works('get /1.0/jobs/summary')
  const { jobs } = (await works('get /1.0/jobs')) as unknown as { jobs: { id: string; kind: string }[] }
  expect(jobs.map(({ kind }) => kind)).toEqual(['multi', 'publish'])
  for (const { id } of jobs) {
    await works('get /1.0/jobs/:id', { id })
    await works('get /1.0/jobs/:id/slices', { id })
    await works('get /1.0/jobs/:id/events', { id })
    await works('get /1.0/jobs/:id/result', { id })
  }
  await works('delete /1.0/publish/:orgName/:fileName', { fileName: 'two-airports.json' })
})

test('the examples of publishes work as dry runs', async () => {
  for (const path of ['/1.0/publish/', '/1.0/publish/multi']) {
    const endpoint = endpoints.find((one) => one.path === path) as Endpoint
    const { body } = requestTo(endpoint, { orgName: 'demo', dbUrl, credentials })
    const own = JSON.parse(JSON.stringify(body).replaceAll('"Airport"', JSON.stringify(label)))
    const { status, body: answer } = await call<{ dryRun: { complete: boolean } }>('POST', `${path}?dryRun=true`, own)
    expect([status, answer.dryRun.complete]).toEqual([200, true])
  }
})

test('cancelling a job answers as documented', async () => {
  const request = requestTo(endpoints.find(({ path }) => path === '/1.0/publish/') as Endpoint, { dbUrl, credentials })
  // Whether the job can still be cancelled depends on the worker; the answer is as documented either way.
  const body = { ...request.body, fileName: 'to-be-cancelled' }
  const queued = await call('POST', '/1.0/publish/', body, { Prefer: 'respond-async' })
  expect(queued.status).toBe(202)
  const id = queued.headers.get('Location')?.split('/').at(-1) as string
  const { status } = await call('POST', `/1.0/jobs/${id}/cancel`)
  expect([200, 202, 409]).toContain(status)
  untouched.delete(endpoints.find(({ path }) => path === '/1.0/jobs/:id/cancel') as Endpoint)
})

test('calling back once more answers as documented', async () => {
  const request = requestTo(endpoints.find(({ path }) => path === '/1.0/publish/') as Endpoint, { dbUrl, credentials })
  const body = { ...request.body, fileName: 'to-call-back', callbackUrl: receiver.url }
  // The job fails, because the example's label does not exist, but it calls back all the same.
  const id = (await call('POST', '/1.0/publish/', body)).headers.get('Location')?.split('/').at(-1) as string
  await works('post /1.0/jobs/:id/callback', { id })
})

test('the examples of the manager and of search work', async () => {
  const old = await client.call<Records>('GET', '/1.0/manager/name/default')
  if (old.status === 200) await client.call('DELETE', `/1.0/manager/${old.body.manager?.grn}`)
  await works('get /1.0/manager/status')
  const { manager } = (await works('post /1.0/manager/:orgGrn', { name: 'default' })) as Required<Records>
  const managerGrn = manager?.grn as string
  await works('get /1.0/manager/')
  await works('get /1.0/manager/name/:managerName', { managerName: 'default' })
  await works('get /1.0/manager/:manager', { manager: managerGrn })
  await works('get /1.0/manager/versions/:managerGrn', { managerGrn })
  const { managerVersion } = await works('post /1.0/manager/version/:managerGrn', { managerGrn, name: uniqueName('v') })
  const version = { managerVersionGrn: managerVersion?.grn as string }
  const byName = { managerVersionName: managerVersion?.name as string }
  await works('get /1.0/manager/version/:managerVersionGrn', version)
  await works('get /1.0/manager/version/name/:managerVersionName', byName)
  const { property } = await works('post /1.0/manager/property/:managerVersionGrn', version)
  const { nodeType } = await works('post /1.0/manager/nodeType/:managerVersionGrn', version)
  const ends = { propertyGrn: property?.grn as string, nodeTypeGrn: nodeType?.grn as string }
  const { propertyImpl } = await works('post /1.0/manager/property/:nodeTypeGrn/:propertyGrn', ends)
  for (const [kind, plural, { grn, key: name }] of [
    ['property', 'properties', property],
    ['nodeType', 'nodeTypes', nodeType],
  ] as [string, string, { grn: string; key: string }][]) {
    await works(`get /1.0/manager/${kind}/:grn`, { grn })
    await works(`get /1.0/manager/${kind}/name/:managerVersionGrn/:name`, { ...version, name })
    await works(`put /1.0/manager/${kind}/name/:managerVersionGrn/:name`, { ...version, name })
    await works(`get /1.0/manager/${plural}/name/:managerVersionName`, byName)
  }
  await works('get /1.0/manager/property/:nodeTypeGrn/:propertyGrn', ends)
  for (const grn of [ends.nodeTypeGrn, ends.propertyGrn]) await works('get /1.0/manager/propertyImpls/:grn', { grn })
  for (const grn of [property, propertyImpl]) await works('put /1.0/manager/property/:grn', { grn: grn?.grn as string })
  await works('put /1.0/manager/nodeType/:nodeTypeGrn', ends)
  for (const grn of [ends.nodeTypeGrn, version.managerVersionGrn])
    await works('get /1.0/manager/properties/:grn', { grn })
  await works('get /1.0/manager/nodeTypes/:managerVersionGrn', version)
  await client.call('PUT', `/1.0/manager/property/${propertyImpl?.grn}`, {
    unique: true,
    required: true,
    indexed: true,
  })
  await works('get /1.0/manager/constraints/:managerVersionGrn', version)
  await works('get /1.0/manager/constraints/name/:managerVersionName', byName)

  await works('get /1.0/manager/export/:managerVersionGrn', version)
  await works('post /1.0/manager/import/:managerVersionGrn', version)
  const { managerVersion: copy } = await works('post /1.0/manager/copy/:managerVersionGrn', version)
  await works('delete /1.0/manager/version/:managerVersionGrn', { managerVersionGrn: copy?.grn as string })

  await works('get /1.0/search/:clusterName/directIndexPolicy/:policyName/:indexStrategy')
  await works('post /1.0/search/:clusterName/directIndexPolicy/:policyName/:indexStrategy')
  await works('post /1.0/search/:clusterName/directIndex/:policyName/:indexName/:indexStrategyName')

  await works('delete /1.0/manager/property/:managerVersionGrn/:nodeTypeGrn/:propertyGrn', { ...version, ...ends })
  await works('delete /1.0/manager/property/:grn/:property', { grn: version.managerVersionGrn, property: 'title' })
  await works('delete /1.0/manager/nodeType/:nodeTypeGrn', ends)
  await works('post /1.0/manager/nodeType/:managerVersionGrn', version)
  await works('delete /1.0/manager/nodeType/:managerVersionGrn/:name', { ...version, name: 'Movie' })
  await works('delete /1.0/manager/version/:managerVersionGrn', version)
  await works('delete /1.0/manager/:grn', { grn: managerGrn })
})

test('the examples of the service work', async () => {
  await works('get /1.0/whoami')
  await works('get /1.0/orgs')
  await works('get /1.0/ops/overview')
  await works('post /1.0/ops/pause')
  await works('post /1.0/ops/resume')
})

test('every endpoint was tested', () => {
  expect([...untouched].map(({ method, path }) => `${method} ${path}`)).toEqual([])
})
