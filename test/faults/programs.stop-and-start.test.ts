import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../dev/requests.ts'
import { startService } from '../../dev/service.ts'
import { until } from '../support/faults/processes.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'

const root = join(import.meta.dirname, '../..')
const stack = inject('stack')

test.each(['api', 'worker'])(
  '%s reports every problem of its environment and exits 1 before it connects to anything',
  (program) => {
    const env = { PATH: process.env.PATH ?? '', REDIS_URL: 'http://x', SECRET_KEYS: 'short', API_PORT: 'no' }
    const { status, stderr } = spawnSync(process.execPath, [`${program}/main.ts`], { cwd: root, env, encoding: 'utf8' })
    expect(status).toBe(1)
    for (const name of ['REDIS_URL', 'S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'SECRET_KEYS', 'API_PORT'])
      expect(stderr).toContain(`${name}: `)
    expect(stderr.includes('AUTH_TOKENS')).toBe(program === 'api')
    expect(stderr).not.toContain('short')
  },
)

const redisDatabase = await databaseOfFile()

test('both programs exit cleanly on SIGTERM after finishing the job in progress', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stop-'))
  const driver = openDriver(stack.neo4j)
  const stuck = await stuckOrigin(6_000)
  const service = await startService(stack, {
    ...{ directory, workers: 1, redisDatabase, bucket: uniqueName('stop') },
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
