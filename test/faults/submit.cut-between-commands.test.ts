import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { openJobsKey } from '../../shared/jobs/redis-keys.ts'
import { prepare } from '../support/e2e.ts'
import { databaseOfFile, ownService } from '../support/own-service.ts'
import { startTcpProxy } from './support/tcp-proxy.ts'

/** How the connection to Redis is lost at one command of a submit. `once`: restored for the next command. */
type Loss = 'command lost' | 'answer lost' | 'command lost once' | 'answer lost once'
const losses: Loss[] = ['command lost', 'answer lost', 'command lost once', 'answer lost once']

/** Counts down to the command at which the connection breaks; null when disarmed. */
let armed: { loss: Loss; left: number } | null = null
let answerIsLost = false

function atCommand(): 'pass' | 'cut' {
  if (armed === null || armed.left === 0 || --armed.left > 0) return 'pass'
  answerIsLost = armed.loss.startsWith('answer')
  if (answerIsLost) return 'pass'
  if (armed.loss === 'command lost') setImmediate(() => proxy.refuse(true))
  return 'cut'
}

function atAnswer(): 'pass' | 'cut' {
  if (!answerIsLost) return 'pass'
  answerIsLost = false
  if (armed?.loss === 'answer lost') setImmediate(() => proxy.refuse(true))
  return 'cut'
}

const { redis: direct } = inject('stack')
const proxy = await startTcpProxy(new URL(direct.url).host, { fromClient: atCommand, fromServer: atAnswer })
const redisDatabase = await databaseOfFile()
const { service, client } = await ownService({
  redisDatabase,
  env: { REDIS_URL: `redis://${proxy.address}/${redisDatabase}` },
})
const redisUrl = `${direct.url.replace(/\/\d*$/, '')}/${redisDatabase}`
const redis = new Redis(redisUrl)
afterAll(() => {
  proxy.close()
  redis.disconnect()
})
const { org, fields } = await prepare(3, service)

const untilReady = () =>
  expect.poll(async () => (await fetch(`${service.apiUrl}/readyz`)).status, { timeout: 30_000 }).toBe(200)

/** Backdates open jobs, so that the janitor does not wait before restoring them. */
async function makeOpenJobsOld() {
  for (const id of await redis.zrange(openJobsKey, '0', '-1')) await redis.zadd(openJobsKey, 'XX', 0, id)
}

test('wherever a submit is cut off from Redis, repeating it with the same key succeeds', {
  timeout: 300_000,
}, async () => {
  const worker = await service.startWorker({ REDIS_URL: redisUrl, JANITOR_SECONDS: '1' })
  const cut: { what: string; key: string; fileName: string; status: number }[] = []
  const submit = (key: string, fileName: string, prefer = 'respond-async') =>
    client.post(
      '/1.0/publish/',
      { ...fields, originIds: ['p1'], orgName: org, fileName },
      { 'Idempotency-Key': key, Prefer: prefer },
    )
  for (const loss of losses) {
    for (let command = 1, isPast = false; !isPast; command++) {
      const [key, fileName] = [randomUUID(), `${loss} ${command}`]
      const commands = { loss, left: command }
      armed = commands
      const { status } = await submit(key, fileName)
      isPast = commands.left > 0
      armed = null
      proxy.refuse(false)
      await untilReady()
      expect([202, 503]).toContain(status)
      if (!isPast) cut.push({ what: fileName, key, fileName, status })
    }
  }
  // Each kind of loss affected several commands, some of them transparently recovered.
  expect(cut.length).toBeGreaterThanOrEqual(4 * losses.length)
  expect(new Set(cut.map(({ status }) => status))).toEqual(new Set([202, 503]))

  const wrong: unknown[] = []
  for (const { what, key, fileName } of cut) {
    const again = await submit(key, fileName)
    const location = again.headers.get('Location')
    if (![200, 202].includes(again.status) || location === null) {
      wrong.push([what, again.status, again.body.error])
      continue
    }
    await makeOpenJobsOld()
    const job: JobRecord = await client.followJob(location)
    const last = await submit(key, fileName, 'wait=10')
    if (job.state === 'succeeded' && last.status === 200 && last.headers.get('Location') === location) continue
    wrong.push([what, job.state, job.error, last.status, last.body.error])
  }
  expect(wrong).toEqual([])

  // No cut submit remains open or is counted as open.
  await makeOpenJobsOld()
  await expect.poll(() => redis.zcard(openJobsKey), { timeout: 30_000 }).toBe(0)
  await worker.stop(10_000)
})
