import { expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { uniqueName } from '../../dev/requests.ts'
import { requestTo } from '../support/clients/every-endpoint.ts'
import { everythingInRedis, everythingInTheStore } from '../support/storage/kept-texts.ts'
import { openCanaryWorld, type Place } from '../support/worlds/canary-world.ts'

const world = await openCanaryWorld()
const { service, client, store, receiver, label, other, model, mask, ids, owns, missing, missingOwn } = world
const org = uniqueName('org')

const common = {
  ...world.place,
  originIds: [ids[0], ids[1], missing, world.unused],
  metadata: true,
  relationships: ['KNOWS'],
  mask,
}
const bound = {
  ...common,
  mappedIndices: undefined,
  index: label,
  model,
  relationships: [],
  mask: { [label]: { ...mask[label], absent: 'hash' } },
}
const { originIds: _, relationships: __, ...noOrigins } = common
const found = { ...noOrigins, relationshipIdField: 'grn', relationshipIds: [...owns, missingOwn], preventCleanup: true }

/** Requests that succeed or fail in each way in which values of the origin decide. */
const requests: Record<string, object | object[]> = {
  good: { ...common, searchIdField: 'email', postbackTimestamp: true, timestampProperty: 'at' },
  strict: { ...common, numbers: 'strict', parameterSyntax: 'dollar', relationshipIdField: 'grn' },
  'by own id': { ...common, relationshipIdField: 'grn', deleteRelationshipById: true, relationshipDeleteOnly: true },
  'a twin and a photo': { ...common, originIds: ids },
  'a photo': { ...common, originIds: [ids[3]] },
  'without both': { ...common, originIds: ids, onUnpublishable: 'skip' },
  'search ids that are lists': { ...common, searchIdField: 'tags' },
  'relationship ids': found,
  'both ends': { ...found, originIds: [ids[0]], hardFilterRelationships: true },
  'nothing there': { ...common, index: label, mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'nokey' } },
  selected: { ...noOrigins, relationships: ['*'], select: [{ label, where: { id: ids } }], onUnpublishable: 'skip' },
  'too many': { ...noOrigins, select: [{ label, where: { id: ids } }], maxNodes: 1 },
  'only some': {
    ...common,
    mask: { [label]: { id: 'hash', email: 'hash' } },
    only: { [label]: ['email'], [other]: [] },
    relationships: [],
  },
  'other label': { ...common, mask: { ...mask, [other]: { ...mask[other], id: 'drop' } }, ...selectAll() },
  unmaskable: { ...common, mask: { ...mask, [`${label}None`]: { id: 'hash' } } },
  'two labels': [
    { ...noOrigins, ...selectAll() },
    { ...noOrigins, mappedIndices: { [other]: 'key' }, select: [{ label: other }] },
  ],
  'a broken model': bound,
  'a broken model, reported': { ...bound, onModelViolation: 'report' },
  'a model that omits': { ...bound, originIds: ids, onModelViolation: 'omit', onUnpublishable: 'skip' },
  slices: Array.from({ length: 25 }, (___, at) => ({ ...common, originIds: [ids[at % 2], missing] })),
}

function selectAll() {
  return { originIds: undefined, select: [{ label }], onUnpublishable: 'skip' }
}

test('no masked value is in an answer, the store, Redis, logs, spans, metrics or callbacks, whatever fails', {
  timeout: 120_000,
}, async () => {
  await client.post(`/1.0/publish/${org}`)
  const places: Place[] = []
  const statuses = new Set<number>()
  const call = async (what: string, answer: Promise<{ status: number; text: string; headers: Headers }>) => {
    const { status, text: body, headers } = await answer
    statuses.add(status)
    places.push([`${what} (${status})`, body + JSON.stringify([...headers])])
    return body
  }
  const keep = async (when: string) => {
    places.push([`Redis ${when}`, await everythingInRedis(service.redisUrl)])
    places.push([`the store ${when}`, await everythingInTheStore(store)])
  }
  const multi = (given: object | object[], place: object) => [given].flat().map((one) => ({ ...one, ...place }))
  const names = Object.keys(requests)
  // While the queue is paused, requests stay as they are stored.
  await client.post('/1.0/ops/pause')
  const locations: string[] = []
  for (const [at, name] of names.entries()) {
    const callbackUrl = `https://${receiver.address}/hook`
    const body = multi(requests[name] as object, { orgName: org, fileName: `file-${at}`, callbackUrl })
    const sent = await client.post('/1.0/publish/multi', body, { Prefer: 'respond-async' })
    await call(`submitted: ${name}`, Promise.resolve(sent))
    if (sent.status === 202) locations.push(sent.headers.get('Location') as string)
  }
  await keep('while jobs wait')
  await client.post('/1.0/ops/resume')
  for (const [at, name] of names.entries()) {
    const body = requests[name] as object
    await call(`dry run: ${name}`, client.post('/1.0/publish/multi?dryRun=true', multi(body, { orgName: org })))
    await call(`returned: ${name}`, client.post('/1.0/publish/multi', multi(body, { orgName: org, returnOnly: true })))
    if (at === 0) await keep('while jobs run')
  }
  const deletion = { ...world.place, index: label, originIds: ids, mask, fileName: 'deleted' }
  await call('deletion', client.post(`/1.0/publish/${org}/delete`, deletion))
  for (const location of locations) await client.followJob(location)
  await keep('at the end')
  const jobs = locations.map((location) => location.split('/').at(-1) as string)
  for (const endpoint of endpoints.filter(({ method }) => method === 'get')) {
    // An event stream ends with the job, so it can be read like any other answer.
    for (const [at, id] of jobs.entries()) {
      const { path } = requestTo(endpoint, { orgName: org, fileName: `file-${at}`, id, jobId: id })
      await call(`GET ${path}`, client.get(path))
      if (!/:(id|jobId|fileName)/.test(endpoint.path)) break
    }
  }
  await call('metrics', client.get('/metrics'))
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(locations.length)
  places.push(...world.outside())

  expect(statuses).toEqual(new Set([...statuses, 200, 202, 400, 422]))
  const returned = places.filter(([place]) => /^returned: (good|slices|.*model.*) /.test(place))
  expect(returned.map(([place, body]) => (/\(200\)|which its node type/.test(place + body) ? place : body))).toEqual([
    'returned: good (200)',
    'returned: a broken model (422)',
    'returned: a broken model, reported (200)',
    'returned: a model that omits (200)',
    'returned: slices (200)',
  ])
  expect(world.leaksIn(places).slice(0, 20)).toEqual([])
  expect(world.canaries.length).toBeGreaterThan(40)
})
