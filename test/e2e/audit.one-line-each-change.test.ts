import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { relationshipCreatesExample } from '../../api/submission/examples.ts'
import { uniqueName } from '../../dev/requests.ts'
import { auditedActions } from '../../shared/observability/audit.ts'
import { prepare } from '../support/clients/e2e.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { managerClient, newModel, someOrg } from '../support/models/models.ts'
import { ownService } from '../support/programs/own-service.ts'
import { callbackSettings, newSecret, startReceiver } from '../support/servers/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const receiver = await startReceiver()
const stuck = await stuckOrigin()
const { service, client, store } = await ownService({
  workers: 1,
  origins: [stuck.address],
  env: callbackSettings([receiver], newSecret()),
})
const { org, ids, fields } = await prepare(3, service)
const models = managerClient(client)
const { manager, version } = await newModel(models)

type Line = Record<string, unknown>
const linesOf = (requestId: string): Line[] =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes(requestId) && line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .filter(({ audit }) => audit === true)

/** The starts of the paths that change something, each with a test. */
const areas = ['/1.0/publish/', '/1.0/jobs/', '/1.0/manager/', '/1.0/ops/'] as const
// To read the names of an origin takes the scope of a publish, and changes nothing.
const writing = endpoints.filter(({ scope, path }) => scope?.endsWith(':write') && path !== '/1.0/origin/names')

/** The endpoints to which the current test has sent a request. */
const performed = new Set<string>()
beforeEach(() => performed.clear())

/** Expects that the current test has used every endpoint of an area that changes something. */
function expectAllOf(area: (typeof areas)[number]) {
  const routes = writing.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const isOfArea = (route: string) => route.split(' ')[1]?.startsWith(area)
  expect([...performed].filter(isOfArea).sort()).toEqual(routes.filter(isOfArea).sort())
}

/** Sends a request to an endpoint, and expects one audit line, by its sender, with the fields of its action. */
async function change(route: string, path: string, body: unknown, expected: Line, headers = {}) {
  performed.add(route)
  const requestId = randomUUID()
  const method = route.split(' ')[0] as string
  const answer = await client.call<Record<string, Line>>(method, path, body, { 'X-Request-Id': requestId, ...headers })
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 202]), expect.any(String)])
  await expect.poll(() => linesOf(requestId).length, { timeout: 60_000 }).toBe(1)
  const [{ level, time, pid, name, msg, ...line } = {}] = linesOf(requestId)
  expect(line).toEqual({ audit: true, by: 'all', requestId, outcome: 'done', ...expected })
  const { audit, action, outcome, by, requestId: _, ...named } = line
  expect(Object.keys(named).sort()).toEqual([...auditedActions[action as keyof typeof auditedActions]].sort())
  return { ...answer, requestId }
}

const digest = expect.stringMatching(/^[\da-f]{64}$/)
const jobId = expect.stringMatching(/^[\da-f-]{36}$/)
const packet = (fileName: string, generation = 1) => ({ orgName: org, fileName, generation })
const published = (fileName: string) => ({ action: 'packet.publish', ...packet(fileName), sha256: digest, jobId })
const request = (fileName: string) => ({ ...fields, originIds: ids, orgName: org, fileName })
const made = { grn: expect.stringMatching(/^grn:gg:/) }

describe('every endpoint that changes something writes one line:', () => {
  test('every endpoint that changes orgs and packets writes one audit line', async () => {
    const another = uniqueName('another')
    await change('POST /1.0/publish/:orgName', `/1.0/publish/${another}`, undefined, {
      action: 'org.create',
      orgName: another,
    })
    const { requestId } = await change('POST /1.0/publish/', '/1.0/publish/', request('one'), published('one'))
    const [line] = linesOf(requestId)
    const { body } = await client.get<Line>(`/1.0/publish/${org}/one/manifest`)
    expect([line?.sha256, line?.jobId]).toEqual([body.sha256, body.jobId])
    const multi = Array.from({ length: 21 }, () => request('many'))
    await change('POST /1.0/publish/multi', '/1.0/publish/multi', multi, published('many'))
    const { mappedIndices } = fields
    const node = { mappedIndices, index: mappedIndices.DEFAULT_INDEX, originIds: ids }
    await change(
      'POST /1.0/publish/:orgName/delete',
      `/1.0/publish/${org}/delete`,
      { ...node, fileName: 'gone' },
      {
        ...published('gone'),
      },
    )
    const drawn = { ...relationshipCreatesExample, fileName: 'drawn' }
    await change('POST /1.0/publish/:orgName/createrelationships', `/1.0/publish/${org}/createrelationships`, drawn, {
      ...published('drawn'),
    })
    const removal = 'DELETE /1.0/publish/:orgName/:fileName'
    const removed = { action: 'packet.remove', ...packet('one', 2) }
    await change(removal, `/1.0/publish/${org}/one`, undefined, removed)
    await store.put(`${org}/notes`, Buffer.from('of others'))
    const file = { action: 'file.remove', orgName: org, fileName: 'notes' }
    await change(removal, `/1.0/publish/${org}/notes`, undefined, file)
    expectAllOf('/1.0/publish/')
  })

  test('every endpoint that changes jobs writes one audit line', async () => {
    stuck.hold()
    const elsewhere = { ...request('held'), dbUrl: `bolt://${stuck.address}` }
    const held = await client.post('/1.0/publish/', elsewhere, { Prefer: 'respond-async' })
    const job = held.headers.get('Location') as string
    await expect.poll(async () => (await client.get<Line>(job)).body.state, { timeout: 60_000 }).toBe('running')
    const named = (fileName: string) => ({ jobId, orgName: org, fileName })
    const cancelled = { action: 'job.cancel', ...named('held'), outcome: 'accepted' }
    await change('POST /1.0/jobs/:id/cancel', `${job}/cancel`, undefined, cancelled)
    stuck.letGo()
    const calling = { ...request('calling'), callbackUrl: `https://${receiver.address}/` }
    const { headers } = await change('POST /1.0/publish/', '/1.0/publish/', calling, published('calling'))
    const called = { action: 'job.callback', ...named('calling') }
    await change('POST /1.0/jobs/:id/callback', `${headers.get('Location')}/callback`, undefined, called)
    expectAllOf('/1.0/jobs/')
  })

  test('every endpoint that changes models writes one audit line', async () => {
    const at = (path: string) => `/1.0/manager/${path}`
    const v = version.grn
    const of = (params: Line) => ({ params })
    const create = (route: string, path: string, body: Line, params: Line) =>
      change(`POST ${at(route)}`, at(path), body, { action: 'model.create', ...made, ...of(params) })
    const grnOf = ({ body }: { body: Record<string, Line> }) => Object.values(body)[0]?.grn as string
    const set = (route: string, path: string, params: Line) =>
      change(`PUT ${at(route)}`, at(path), { displayValue: 'A' }, { action: 'model.change', ...made, ...of(params) })
    const remove = (route: string, path: string, params: Line) =>
      change(`DELETE ${at(route)}`, at(path), undefined, { action: 'model.delete', grn: null, ...of(params) })

    const other = grnOf(await create(':orgGrn', someOrg, { name: uniqueName('other') }, { orgGrn: someOrg }))
    await create('version/:managerGrn', `version/${manager.grn}`, {}, { managerGrn: manager.grn })
    const copied = { action: 'model.copy', ...made, ...of({ managerVersionGrn: v }) }
    const copy = grnOf(await change(`POST ${at('copy/:managerVersionGrn')}`, at(`copy/${v}`), {}, copied))
    const one = grnOf(
      await create('property/:managerVersionGrn', `property/${v}`, { key: 'one' }, { managerVersionGrn: v }),
    )
    await create('property/:managerVersionGrn', `property/${v}`, { key: 'two' }, { managerVersionGrn: v })
    const film = grnOf(
      await create('nodeType/:managerVersionGrn', `nodeType/${v}`, { key: 'Film' }, { managerVersionGrn: v }),
    )
    await create('nodeType/:managerVersionGrn', `nodeType/${v}`, { key: 'Play' }, { managerVersionGrn: v })
    const ends = { nodeTypeGrn: film, propertyGrn: one }
    await create('property/:nodeTypeGrn/:propertyGrn', `property/${film}/${one}`, {}, ends)
    await set('property/name/:managerVersionGrn/:name', `property/name/${v}/one`, { managerVersionGrn: v, name: 'one' })
    await set('property/:grn', `property/${one}`, { grn: one })
    await set('nodeType/name/:managerVersionGrn/:name', `nodeType/name/${v}/Film`, {
      managerVersionGrn: v,
      name: 'Film',
    })
    await set('nodeType/:nodeTypeGrn', `nodeType/${film}`, { nodeTypeGrn: film })
    await change(
      `POST ${at('import/:managerVersionGrn')}`,
      at(`import/${copy}`),
      { properties: [{ key: 'x' }] },
      {
        action: 'model.import',
        grn: null,
        params: { managerVersionGrn: copy },
      },
    )
    const implementation = 'property/:managerVersionGrn/:nodeTypeGrn/:propertyGrn'
    await remove(implementation, `property/${v}/${film}/${one}`, { managerVersionGrn: v, ...ends })
    await remove('property/:grn/:property', `property/${v}/two`, { grn: v, property: 'two' })
    await remove('nodeType/:managerVersionGrn/:name', `nodeType/${v}/Play`, { managerVersionGrn: v, name: 'Play' })
    await remove('nodeType/:nodeTypeGrn', `nodeType/${film}`, { nodeTypeGrn: film })
    await remove('version/:managerVersionGrn', `version/${copy}`, { managerVersionGrn: copy })
    await remove(':grn', other, { grn: other })
    expectAllOf('/1.0/manager/')
  })

  test('every endpoint that pauses the queue or resumes it writes one audit line', async () => {
    await change('POST /1.0/ops/pause', '/1.0/ops/pause', undefined, { action: 'queue.pause' })
    await change('POST /1.0/ops/resume', '/1.0/ops/resume', undefined, { action: 'queue.resume' })
    expectAllOf('/1.0/ops/')
  })

  test('every endpoint that changes something is in an area that has a test', () => {
    expect(writing.filter(({ path }) => !areas.some((area) => path.startsWith(area)))).toEqual([])
  })
})
