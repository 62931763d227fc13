import { afterAll, expect, inject, test } from 'vitest'
import { allOrgs, noOrg } from '../../api/http/access.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { everyEndpoint, requestTo } from '../support/clients/every-endpoint.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'
import { openTraces } from '../support/storage/traces.ts'

// Without workers, a queued job stays queued unless another token could cancel it.
const [mine, theirs] = [uniqueName('mine'), uniqueName('theirs')]
const scopes = ['publish:read', 'publish:write']
const tokens = [
  { name: 'owner', orgs: [theirs], scopes },
  { name: 'stranger', orgs: [mine, `${theirs}x`, `${theirs}/below`, theirs.slice(0, -1)], scopes },
]
const { database: redisDatabase, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const { service, client, as } = await ownService({ redisDatabase, tokens })
const [owner, stranger] = [as('owner'), as('stranger')]
for (const org of [mine, theirs]) await client.post(`/1.0/publish/${org}`)
const traces = openTraces(service)
afterAll(() => traces.close())

const key = { 'Idempotency-Key': 'the-same-for-all', Prefer: 'respond-async' }
const request = (orgName: string) => ({
  ...database(inject('stack').neo4j, 'Person', 'id'),
  originIds: ['p1'],
  metadata: true,
  orgName,
  fileName: 'waiting',
})
const { headers } = await owner.post('/1.0/publish/', request(theirs), key)
const location = headers.get('Location') as string
const id = location.split('/').at(-1) as string

const everything = async () => [
  (await owner.get(location)).text,
  (await owner.get(`/1.0/jobs?orgName=${theirs}`)).text,
  await traces.read(theirs),
]
const before = await everything()

const ofOrgs = everyEndpoint.filter(([, { access }]) => access !== noOrg && access !== allOrgs)

test('the compared job exists, and is queued', async () => {
  expect(before[0]).toMatch(/"state":"queued"/)
  expect(before[2]).toMatchObject({
    claims: [expect.stringContaining('waiting')],
    unfinished: [/queued/, /secrets/].map((text) => expect.stringMatching(text)),
  })
  expect(ofOrgs.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'POST /1.0/jobs/:id/cancel',
      'GET /1.0/jobs/:id/result',
      'GET /1.0/jobs/:id',
      'DELETE /1.0/publish/:orgName/:fileName',
      'GET /1.0/publish/:orgName/:fileName/url',
      'POST /1.0/publish/multi',
    ]),
  )
})

test.each(ofOrgs)("%s does not reach another org's queued job", async (_name, endpoint) => {
  for (const names of [{}, { orgName: `${theirs}/below/../` }, { fileName: 'waitingPart1of1' }]) {
    const { method, path, body } = requestTo(endpoint, { orgName: theirs, fileName: 'waiting', id, ...names })
    const { status, text, headers } = await stranger.call(method, path, body)
    expect([path, [400, 404].includes(status), headers.get('Location')]).toEqual([path, true, null])
    expect(text).not.toContain(id)
  }
  expect(await everything()).toEqual(before)
})

test('every endpoint that takes an org or a job declares its access', () => {
  const open = everyEndpoint.filter(([, { access, path }]) => access === noOrg && /:orgName|\/jobs\/:id/.test(path))
  expect(open.map(([name]) => name)).toEqual([])
})

test("lists, filters and pages only show jobs of the token's own orgs, whatever the query", async () => {
  const own = await stranger.post('/1.0/publish/', request(mine), { Prefer: 'respond-async' })
  const ownId = own.headers.get('Location')?.split('/').at(-1)
  for (const query of ['', '?state=queued', '?limit=1', '?limit=100', `?after=${id}`, `?orgName=${mine}`]) {
    const { text } = await stranger.get(`/1.0/jobs${query}`)
    expect([query, text.includes(id), text.includes(theirs)]).toEqual([query, false, false])
  }
  expect((await stranger.get(`/1.0/jobs?orgName=${mine}`)).text).toContain(ownId)
  for (const orgName of [theirs, `${theirs}x`, `${theirs}/below`, `${theirs}/`, theirs.toUpperCase()]) {
    const { status, text } = await stranger.get(`/1.0/jobs?orgName=${encodeURIComponent(orgName)}`)
    expect([orgName, [200, 400, 404].includes(status), text.includes(id)]).toEqual([orgName, true, false])
  }
})

test('an Idempotency-Key belongs to one token: the same key of another makes a new job', async () => {
  const own = await stranger.post('/1.0/publish/', { ...request(mine), fileName: 'keyed' }, key)
  expect([own.status, own.headers.get('Idempotent-Replayed')]).toEqual([202, null])
  expect(own.headers.get('Location')).not.toBe(location)
  const again = await owner.post('/1.0/publish/', request(theirs), key)
  expect([again.status, again.headers.get('Location'), again.headers.get('Idempotent-Replayed')]).toEqual([
    202,
    location,
    'true',
  ])
})
