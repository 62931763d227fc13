import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../dev/requests.ts'
import { fileOf, startService } from '../../dev/service.ts'
import { until } from '../support/faults/processes.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'

const root = join(import.meta.dirname, '../..')
const stack = inject('stack')

test.each(['api', 'worker'] as const)(
  '%s reports every problem of its environment and exits 1 before it connects to anything',
  (program) => {
    const env = { PATH: process.env.PATH ?? '', REDIS_URL: 'http://x', SECRET_KEYS: 'short', API_PORT: 'no' }
    const { status, stderr } = spawnSync(process.execPath, [fileOf(program)], { cwd: root, env, encoding: 'utf8' })
    expect(status).toBe(1)
    for (const name of ['REDIS_URL', 'S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'SECRET_KEYS', 'API_PORT'])
      expect(stderr).toContain(`${name}: `)
    expect(stderr.includes('AUTH_TOKENS')).toBe(program === 'api')
    expect(stderr).not.toContain('short')
  },
)

test.each([
  ['a tokens file that is missing', 'none.json', 'AUTH_TOKENS: the file cannot be read (ENOENT)'],
  ['a tokens file that is not JSON', 'text.json', 'AUTH_TOKENS: the file is not valid JSON'],
  ['a tokens file with a broken entry', 'entry.json', 'AUTH_TOKENS: ✖ must be a SHA-256 digest in lower-case hex → at'],
])('an API reports %s with its other settings, before it connects to anything', async (_what, name, problem) => {
  const directory = mkdtempSync(join(tmpdir(), 'settings-'))
  const entry = { name: 'ann', sha256: 'secret', orgs: ['*'], scopes: [] }
  writeFileSync(join(directory, 'text.json'), 'secret')
  writeFileSync(join(directory, 'entry.json'), JSON.stringify([entry]))
  let connections = 0
  const dependency = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(dependency, 'listening')
  const { port } = dependency.address() as AddressInfo
  const env = {
    PATH: process.env.PATH ?? '',
    AUTH_TOKENS: join(directory, name),
    RATE_LIMIT_PER_MINUTE: 'no',
    REDIS_URL: `redis://127.0.0.1:${port}`,
    SECRET_KEYS: `k1:${'A'.repeat(43)}=`,
    S3_ENDPOINT: `http://127.0.0.1:${port}`,
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
  }
  try {
    // The program ends by itself; the limit only ends a test that fails.
    const api = promisify(execFile)(process.execPath, [fileOf('api')], { cwd: root, env, timeout: 30_000 })
    const { code, stderr } = await api.then(
      () => ({ code: 0, stderr: '' }),
      (error) => error,
    )
    expect([code, connections]).toEqual([1, 0])
    expect(stderr).toContain(`\n  ${problem}`)
    expect(stderr).toContain('\n  RATE_LIMIT_PER_MINUTE: must be')
    expect(stderr).not.toContain('secret')
  } finally {
    dependency.close()
    rmSync(directory, { recursive: true })
  }
})

const redisDatabase = await databaseOfFile()

test('both programs exit cleanly on SIGTERM after finishing the job in progress', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stop-'))
  const driver = openDriver(stack.neo4j)
  const stuck = await stuckOrigin(6_000)
  const service = await startService(stack, {
    directory,
    workers: 1,
    redisDatabase,
    bucket: uniqueName('stop'),
    origins: [stuck.address],
  })
  try {
    const client = createClient(service.apiUrl, service.tokens.all as string)
    const [label, org] = [uniqueName('Person'), uniqueName('org')]
    const ids = await drawRing(driver, label, 2_000)
    await client.post(`/1.0/publish/${org}`)
    const request = {
      ...database(stack.neo4j, label, 'id'),
      dbUrl: `bolt://${stuck.address}`,
      metadata: true,
      relationships: ['KNOWS'],
      orgName: org,
      fileName: 'file',
    }
    // Few enough sub-requests for a single run: of a large multi, only the slices in progress would be finished.
    const body = inSlices(ids, 100).map((originIds) => ({ ...request, originIds }))
    const submitted = await client.post('/1.0/publish/multi', body, { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    const [worker] = service.workers
    await until('the job is under way', () => stuck.isHolding())
    worker?.kill('SIGTERM')
    stuck.letGo()
    await client.followJob(location, 30_000)
    const job = await client.get<{ state: string; attempt: number }>(location)
    expect(job.body).toMatchObject({ state: 'succeeded', attempt: 1 })
    expect(await worker?.exited).toEqual({ code: 0, signal: null })
    service.api.kill('SIGTERM')
    expect(await service.api.exited).toEqual({ code: 0, signal: null })
    expect(service.logs()).not.toContain('"level":50')
  } finally {
    await service.stop()
    await driver.close()
    rmSync(directory, { recursive: true })
  }
})
