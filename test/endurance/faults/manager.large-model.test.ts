import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Client, createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { type Service, startService } from '../../../dev/service.ts'
import { databaseOfFile } from '../../support/programs/own-service.ts'
import { watchApi } from '../../support/programs/watch-process.ts'
import { openStoppable } from '../../support/servers/stoppable-neo4j.ts'

// A separate database, because search follows the manager named `default`, which is large here.
const directory = mkdtempSync(join(tmpdir(), 'large-model-'))
const redisDatabase = await databaseOfFile()
let database: Awaited<ReturnType<typeof openStoppable>>
let service: Service
let client: Client
let watched: ReturnType<typeof watchApi>
const [manager, version] = [{ grn: '' }, { grn: '' }]

type Answer = Record<string, { grn: string }> & { constraints: unknown[]; next?: string }
const call = async (method: string, path: string, body?: object) => {
  const answer = await client.call<Answer>(method, `/1.0/${path}`, body)
  return { status: answer.status, bytes: answer.text.length, body: answer.body }
}

beforeAll(async () => {
  database = await openStoppable(join(directory, 'neo4j'))
  const { boltUrl, username, password } = database.address
  const env = { MANAGER_DB_URL: boltUrl, MANAGER_DB_USER: username, MANAGER_DB_PASSWORD: password }
  const bucket = uniqueName('large')
  service = await startService(inject('stack'), { directory, workers: 0, redisDatabase, bucket, env })
  client = createClient(service.apiUrl, service.tokens.all as string)
  Object.assign(manager, (await call('POST', 'manager/grn:gg:org:large', { name: 'default' })).body.manager)
  Object.assign(version, (await call('GET', 'manager/version/name/default')).body.managerVersion)
  watched = watchApi(service.apiUrl, service.api.pid)
}, 240_000)
afterAll(async () => {
  await service.stop()
  await database.close()
  rmSync(directory, { recursive: true })
}, 60_000)

// `npm test` takes a quarter of the model.
const types = inject('isLong') ? 2_000 : 500
const keys = Array.from({ length: 50 }, (_, number) => `p${number}`)
const model = {
  properties: keys.map((key) => ({ key, dataType: 'String' })),
  nodeTypes: Array.from({ length: types }, (_, number) => ({
    key: `T${number}`,
    properties: keys.map((key) => ({ key, unique: true })),
  })),
}
const at = 'search/cluster/directIndexPolicy/large/defaultFull'

test('a model of 500 or 2,000 node types x 50 properties is imported, read, listed and deleted without delaying others', async () => {
  const importStarted = performance.now()
  const imported = await call('POST', `manager/import/${version.grn}`, model)
  const importSeconds = Math.round(performance.now() - importStarted) / 1_000
  expect([imported.status, imported.body]).toEqual([
    200,
    { imported: { created: 50 + 51 * types, changed: 0, unchanged: 0 } },
  ])
  console.log({ importSeconds, ...watched.seen })
  const whole = await Promise.all([call('GET', at), call('GET', at)])
  expect(whole.map(({ status, bytes }) => [status, bytes > 5_000 * types])).toEqual([
    [200, true],
    [200, true],
  ])
  // The fastest of several, as a busy machine delays any of them.
  let customMs = Number.POSITIVE_INFINITY
  for (const key of ['T7', 'T8', 'T9', 'T10', 'T11']) {
    const started = performance.now()
    expect((await call('POST', at, { nodeTypes: [key] })).status).toBe(200)
    customMs = Math.min(customMs, performance.now() - started)
  }
  expect((await call('GET', `manager/constraints/${version.grn}`)).status).toBe(400)
  let count = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { body } = await call('GET', `manager/constraints/${version.grn}?limit=10000${after && `&after=${after}`}`)
    count += body.constraints.length
    after = body.next
  }
  expect(count).toBe(50 * types)
  expect((await call('DELETE', `manager/property/${version.grn}/p7`)).status).toBe(200)
  expect((await call('DELETE', `manager/${manager.grn}`)).status).toBe(200)
  expect((await call('GET', `manager/constraints/${version.grn}`)).status).toBe(404)
  const { busyMs, residentMB } = await watched.stop()
  console.log({ customMs, ...watched.seen })
  expect(customMs).toBeLessThan(400)
  expect(residentMB).toBeLessThan(300)
  expect(busyMs).toBeLessThan(200)
}, 240_000)
