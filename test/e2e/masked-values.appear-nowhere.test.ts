import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { endpoints } from '../../api/endpoints.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { requestTo } from '../support/clients/every-endpoint.ts'
import { modelWith } from '../support/models/bound-model.ts'
import { ownService } from '../support/programs/own-service.ts'
import { startCollector } from '../support/servers/collector.ts'
import { callbackSettings, newSecret, startReceiver } from '../support/servers/receiver.ts'
import { everythingInRedis, everythingInTheStore } from '../support/storage/kept-texts.ts'

const collector = await startCollector()
const receiver = await startReceiver()
const { service, client, store } = await ownService({
  workers: 1,
  env: {
    ...callbackSettings([receiver], newSecret()),
    LOG_LEVEL: 'trace',
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../../deploy/otel.mjs')}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '200',
  },
})
const { neo4j } = inject('stack')
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const [label, other, org] = [uniqueName('Canary'), uniqueName('CanaryB'), uniqueName('org')]

/** Values that occur nowhere else, of the types whose text the service writes in different ways. */
const canaries: (string | bigint)[] = []
let made = 0
const seed = Math.floor(Math.random() * 2 ** 40)
const text = (what = '') => added(`cnry${what}${seed.toString(36)}x${made++}`)
const odd = () => added(`cnry "${seed.toString(36)}\\\u00fc${made++}`)
const integer = () => added(7_000_000_000_000_000n + BigInt(seed) * 1_000n + BigInt(made++))
function added<T extends string | bigint>(value: T): T {
  canaries.push(value)
  return value
}

/** Every form in which a program might write a value. */
function formsOf(canary: string | bigint): string[] {
  const plain = String(canary)
  const bytes = Buffer.from(plain)
  // The middle of the base64 of a text that begins at any of three places.
  const inBase64 = [0, 1, 2].map((at) => {
    const whole = Buffer.concat([Buffer.alloc(at), bytes]).toString('base64')
    return whole.slice(at === 0 ? 0 : 4, -4)
  })
  const json = JSON.stringify(plain).slice(1, -1)
  return [plain, json, JSON.stringify(json).slice(1, -1), bytes.toString('hex'), encodeURIComponent(plain), ...inBase64]
}

const ids = [text(), odd(), text('twin'), text('photo'), integer()]
const [missing, missingOwn, unused] = [text('gone'), text('goneown'), integer()]
const owns = [text('own'), text('own')]

const mask = {
  [label]: { id: 'hash', email: 'hash', phone: 'hash', tags: 'hash', note: 'drop', nick: 'null' },
  [other]: { key: 'hash', phone: 'hash' },
  KNOWS: { grn: 'hash', since: 'hash', mine: 'drop' },
}

async function draw(): Promise<void> {
  const properties = () => ({ email: odd(), phone: integer(), tags: [text(), odd()], note: text(), nick: text() })
  const nodes = ids.map((id) => ({ id, ...properties() }))
  await run(driver, `UNWIND $nodes AS node CREATE (n:${label}) SET n = node`, { nodes })
  // Two nodes of one id, and one with a value that no statement can hold.
  await run(driver, `CREATE (:${label} {id: $id, email: $email})`, { id: ids[2], email: text() })
  await run(driver, `MATCH (n:${label} {id: $id}) SET n.odd = $photo`, { id: ids[3], photo: new Int8Array([1, 2]) })
  await run(driver, `CREATE (:${label}:${other} {id: $id, key: $key, phone: $phone})`, {
    id: text(),
    key: text(),
    phone: integer(),
  })
  for (const [at, grn] of owns.entries()) {
    await run(
      driver,
      `MATCH (a:${label} {id: $from}), (b:${label} {id: $to}) CREATE (a)-[:KNOWS {grn: $grn, since: $since, mine: $mine}]->(b)`,
      { from: ids[at], to: ids[at === 0 ? 1 : 4], grn, since: integer(), mine: text() },
    )
  }
}

const common = {
  ...database(neo4j, label, 'id'),
  originIds: [ids[0], ids[1], missing, String(unused)],
  metadata: true,
  relationships: ['KNOWS'],
  mask,
}
const every = [...ids.map(String), missing]
// Values of other types than the model's, a required property that is missing, and labels that it does not have.
const { name: model } = await modelWith(client, {
  [label]: {
    id: ['String', 'unique', 'sensitive'],
    email: ['Integer', 'sensitive'],
    phone: ['String', 'sensitive'],
    absent: ['String', 'required'],
  },
})
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
  'a twin and a photo': { ...common, originIds: every },
  'a photo': { ...common, originIds: [ids[3]] },
  'without both': { ...common, originIds: every, onUnpublishable: 'skip' },
  'search ids that are lists': { ...common, searchIdField: 'tags' },
  'relationship ids': found,
  'both ends': { ...found, originIds: [ids[0]], hardFilterRelationships: true },
  'nothing there': { ...common, index: label, mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'nokey' } },
  selected: { ...noOrigins, relationships: ['*'], select: [{ label, where: { id: every } }], onUnpublishable: 'skip' },
  'too many': { ...noOrigins, select: [{ label, where: { id: every } }], maxNodes: 1 },
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
  'a model that omits': { ...bound, originIds: every, onModelViolation: 'omit', onUnpublishable: 'skip' },
  slices: Array.from({ length: 25 }, (___, at) => ({ ...common, originIds: [every[at % 2], missing] })),
}

function selectAll() {
  return { originIds: undefined, select: [{ label }], onUnpublishable: 'skip' }
}

test('no masked value is in an answer, the store, Redis, logs, spans, metrics or callbacks, whatever fails', {
  timeout: 120_000,
}, async () => {
  await draw()
  await client.post(`/1.0/publish/${org}`)
  const places: [string, string][] = []
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
  const deletion = { ...database(neo4j, label, 'id'), index: label, originIds: every, mask, fileName: 'deleted' }
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
  places.push(['callbacks', JSON.stringify(receiver.received)])
  places.push(['spans', collector.bodies.join('\n')])
  places.push(['logs', service.logs()])

  expect(statuses).toEqual(new Set([...statuses, 200, 202, 400, 422]))
  const returned = places.filter(([place]) => /^returned: (good|slices) /.test(place))
  expect(returned.map(([place, body]) => (place.endsWith('(200)') ? place : body))).toEqual([
    'returned: good (200)',
    'returned: slices (200)',
  ])
  const forms = canaries.flatMap((canary) => formsOf(canary).map((form) => [String(canary), form] as const))
  const leaks = places.flatMap(([place, kept]) =>
    forms.filter(([, form]) => kept.includes(form)).map(([canary, form]) => `${canary} is in ${place} as ${form}`),
  )
  expect(leaks.slice(0, 20)).toEqual([])
  expect(canaries.length).toBeGreaterThan(40)
})
