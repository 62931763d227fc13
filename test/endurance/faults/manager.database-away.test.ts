import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { type Service, startService } from '../../../dev/service.ts'
import { type ManagerClient, managerClient, newModel, someOrg } from '../../support/models/models.ts'
import { databaseOfFile } from '../../support/programs/own-service.ts'
import { openStoppable } from '../../support/servers/stoppable-neo4j.ts'

const limitMs = 240_000
const directory = mkdtempSync(join(tmpdir(), 'manager-'))
const stack = inject('stack')
let database: Awaited<ReturnType<typeof openStoppable>>
let services: Service[] = []
let clients: ManagerClient[]
const databases = [await databaseOfFile(), await databaseOfFile()] as const

beforeAll(async () => {
  database = await openStoppable(join(directory, 'neo4j'))
  await database.stop()
  const { boltUrl, username, password } = database.address
  const env = { MANAGER_DB_URL: boltUrl, MANAGER_DB_USER: username, MANAGER_DB_PASSWORD: password }
  const start = (name: string, redisDatabase: number) =>
    startService(stack, {
      directory: join(directory, name),
      workers: 0,
      redisDatabase,
      bucket: uniqueName('away'),
      env,
    })
  services = await Promise.all([start('a', databases[0]), start('b', databases[1])])
  clients = services.map(({ apiUrl, tokens }) => managerClient(createClient(apiUrl, tokens.all as string)))
}, limitMs)
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await database.close()
  rmSync(directory, { recursive: true })
}, 60_000)

const [first, second] = [0, 1].map((index) => () => clients[index] as ManagerClient) as [
  () => ManagerClient,
  () => ManagerClient,
]

/** Polls until an answer has the status. */
async function until(status: number, ask: () => Promise<{ status: number }>) {
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(100)) {
    if ((await ask()).status === status) return
  }
  throw new Error(`no answer had the status ${status}`)
}

async function expectAway(client: ManagerClient) {
  const answers = [
    await client.get('name/default'),
    await client.post(someOrg, { name: uniqueName('model') }),
    await client.get('status'),
  ]
  for (const { status, headers, body } of answers) {
    expect([status, headers.get('Retry-After'), headers.get('Content-Type')]).toEqual([
      503,
      '5',
      'application/problem+json; charset=utf-8',
    ])
    expect(body.detail).toBe('the manager database does not answer; try again later')
  }
}

/** A direct packet is stored and read back without the manager. */
async function expectPublishes({ apiUrl, tokens }: Service) {
  const client = createClient(apiUrl, tokens.all as string)
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const pairs = { mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }, originIds: ['a'], index: 'P' }
  const stored = await client.post(`/1.0/publish/${org}/delete`, { ...pairs, fileName: 'gone' })
  const statuses = [(await client.get('/1.0/publish/status')).status, stored.status]
  expect([...statuses, (await client.get(`/1.0/publish/${org}/gone`)).status]).toEqual([200, 200, 200])
  expect((await fetch(`${apiUrl}/readyz`)).status).toBe(200)
}

describe('an unavailable manager database', () => {
  test(
    'while the manager database is away at start the rest works; later both processes ensure its constraints',
    async () => {
      await expectAway(first())
      await expectPublishes(services[0] as Service)
      await database.start()
      const create = async () => {
        const name = uniqueName('model')
        const each = Array.from({ length: 20 }, (_, index) => (index % 2 ? first() : second()).post(someOrg, { name }))
        return (await Promise.all(each)).map(({ status }) => status)
      }
      // A 503 is acceptable while a connection is still refused; all other requests but the winner get 409.
      let statuses: number[] = []
      while (statuses.length === 0) statuses = (await create()).filter((status) => status !== 503)
      expect(statuses.filter((status) => status !== 409)).toEqual([200])
    },
    limitMs,
  )

  test(
    'an outage of the manager database under load is 503, ends without a restart, and loses no acknowledged write',
    async () => {
      const { version } = await newModel(first())
      const seen = new Set<number>()
      const promised: string[] = []
      let isOver = false
      const load = async (client: ManagerClient, prefix: string) => {
        for (let index = 0; !isOver; index++) {
          const key = `${prefix}-${index}`
          const { status } = await client.post(`property/${version.grn}`, { key })
          if (status === 200) promised.push(key)
          seen.add(status).add((await client.get(`properties/${version.grn}`)).status)
          await sleep(20)
        }
      }
      const loads = clients.flatMap((client, index) => [load(client, `a${index}`), load(client, `b${index}`)])
      const status = () => second().get('status')
      await database.stop()
      await until(503, status)
      await expectAway(first())
      await expectPublishes(services[1] as Service)
      const before = promised.length
      await database.start()
      await until(200, status)
      for (const deadline = Date.now() + 120_000; promised.length < before + 20 && Date.now() < deadline; )
        await sleep(50)
      isOver = true
      await Promise.all(loads)
      expect(promised.length).toBeGreaterThanOrEqual(before + 20)
      expect([...seen].sort()).toEqual([200, 503])
      const { body } = await first().get(`properties/${version.grn}`)
      const stored = (body.properties as unknown as { key: string }[]).map(({ key }) => key)
      expect(promised.filter((key) => !stored.includes(key))).toEqual([])
    },
    limitMs,
  )
})
