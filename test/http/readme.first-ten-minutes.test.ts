import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const root = join(import.meta.dirname, '../..')
const [, section = ''] =
  /^## A client's first ten minutes\n(.*?)^## /ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
const [, commands = ''] = /```sh\n(.*?)```/s.exec(section) ?? []
const [, shownError = ''] = /```json\n(.*?)```/s.exec(section) ?? []

// Neo4j 3.5 keeps the models, so that this file has its own manager named `default`.
const { neo4j, redis, ...stack } = inject('stack')
const models = stack.legacy as Neo4jAddress
const { database: redisDatabase, release } = await ownDatabase(redis.url)
afterAll(release)
const { service, client } = await ownService({
  redisDatabase,
  workers: 1,
  env: {
    MANAGER_DB_URL: models.boltUrl,
    MANAGER_DB_USER: models.username,
    MANAGER_DB_PASSWORD: models.password,
  },
})
const label = uniqueName('Airport')
const driver = openDriver(neo4j)
const directory = mkdtempSync(join(tmpdir(), 'readme-'))
afterAll(async () => {
  await driver.close()
  rmSync(directory, { recursive: true })
})

const hasCurl = spawnSync('curl', ['--version']).status === 0
const ownCurl = `curl() { node '${join(root, 'test/support/clients/curl.ts')}' "$@"; }\n`

async function inShell(script: string): Promise<string> {
  const { dbUrl: ORIGIN, credentials: CREDENTIALS } = database(neo4j, label, 'iata')
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { PATH, URL: service.apiUrl, TOKEN: service.tokens.all, ORIGIN, CREDENTIALS }
  const { stdout } = await promisify(execFile)('sh', ['-euc', (hasCurl ? '' : ownCurl) + script], {
    cwd: directory,
    env,
  })
  return stdout
}

/** The requests to the service, with the status of their answers. */
const requests = () =>
  service
    .logs()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; path: string; status: number })
    .map(({ method, path, status }) => `${status} ${method} ${path.replace(/grn:gg:managerversion:\w+/, '{version}')}`)

test('without the first command, the second answers with the documented error', async () => {
  const [, variables = '', publish = ''] = /^(auth=.*?)\n\n.*?publish\/first\n(curl .*?^END\n)/ms.exec(commands) ?? []
  const answer = JSON.parse(await inShell(`${variables}\n${publish}`))
  expect(answer).toMatchObject(JSON.parse(shownError))
  expect(Object.values(answer).filter((value) => value !== null).length).toBe(1)
})

test('the commands work in order, and end with a downloaded packet', async () => {
  await run(driver, `CREATE (:\`${label}\` {iata: 'SEA'})-[:FLIGHT {count: 7}]->(:\`${label}\` {iata: 'JFK'})`)
  const old = await client.get<{ manager: { grn: string } }>('/1.0/manager/name/default')
  if (old.status === 200) await client.call('DELETE', `/1.0/manager/${old.body.manager.grn}`)
  const answers = await inShell(commands.replaceAll('"Airport"', JSON.stringify(label)))
  const expected = [
    '200 POST /1.0/publish/first',
    '200 POST /1.0/publish/',
    '200 GET /1.0/jobs',
    '200 POST /1.0/manager/grn:gg:org:first',
    '200 GET /1.0/manager/version/name/default',
    '200 POST /1.0/manager/nodeType/{version}',
    '200 GET /1.0/search/cluster/directIndexPolicy/airports/defaultFull',
    '200 GET /1.0/publish/first',
    '200 GET /1.0/publish/first/two-airports.json/url',
  ]
  // A request is logged shortly after its answer was sent.
  await vi.waitFor(() => expect(requests().slice(requests().indexOf(expected[0] as string))).toEqual(expected), 10_000)
  expect(answers).toContain(`"${label.toLowerCase()}"`)
  expect(answers).toContain('"fileNames":["two-airports.json"]')
  const packet = JSON.parse(readFileSync(join(directory, 'two-airports.json'), 'utf8'))
  expect(packet.statements.length).toBeGreaterThanOrEqual(3)
  expect(packet.statements[0].statement).toContain(label)
})
