import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import { type Client, createClient } from '../../../dev/client.ts'
import { overrides } from '../../../dev/service.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { openJobsKey } from '../../../shared/redis/keys.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { databaseOfFile, ownService } from '../../support/programs/own-service.ts'

/** How the connection to Redis is lost at one command of a submit. `once`: restored for the next command. */
type Loss = 'command lost' | 'answer lost' | 'command lost once' | 'answer lost once'
const losses: Loss[] = ['command lost', 'answer lost', 'command lost once', 'answer lost once']

/** The connection of one API to Redis, which breaks at a command of choice. */
async function breakableRedis() {
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

  const proxy = await startTcpProxy(new URL(direct.url).host, { fromClient: atCommand, fromServer: atAnswer })
  afterAll(() => proxy.close())
  return {
    url: `redis://${proxy.address}/${redisDatabase}`,
    arm(loss: Loss, command: number) {
      armed = { loss, left: command }
      return armed
    },
    mend() {
      armed = null
      proxy.refuse(false)
    },
  }
}

const { redis: direct } = inject('stack')
const redisDatabase = await databaseOfFile()
const { service } = await ownService({ redisDatabase })
const connections = await Promise.all(losses.map(breakableRedis))
const redis = new Redis(service.redisUrl)
afterAll(() => redis.disconnect())
const { org, fields } = await prepare(3, service)

const untilReady = (apiUrl: string) =>
  expect.poll(async () => (await fetch(`${apiUrl}/readyz`)).status, { timeout: 30_000 }).toBe(200)

const submit = (client: Client, key: string, fileName: string, prefer = 'respond-async') =>
  client.post(
    '/1.0/publish/',
    { ...fields, originIds: ['p1'], orgName: org, fileName },
    { 'Idempotency-Key': key, Prefer: prefer },
  )

interface Cut {
  client: Client
  key: string
  fileName: string
  status: number
}

/** Submits until every command of a submit has been cut once. */
async function cutEverywhere(loss: Loss): Promise<Cut[]> {
  const connection = connections[losses.indexOf(loss)] as (typeof connections)[number]
  const { apiUrl } = await service.startApi({ REDIS_URL: connection.url })
  const client = createClient(apiUrl, service.tokens.all as string)
  const cut: Cut[] = []
  for (let command = 1; ; ) {
    const [key, fileName] = [randomUUID(), `${loss} ${command}`]
    const commands = connection.arm(loss, command)
    const { status } = await submit(client, key, fileName)
    connection.mend()
    await untilReady(apiUrl)
    expect([202, 503]).toContain(status)
    const isReached = commands.left === 0
    if (!isReached && status === 202) return cut
    // Refused before the command was sent: the connection was not restored after the cut before.
    if (!isReached) continue
    cut.push({ client, key, fileName, status })
    command++
  }
}

/** Backdates open jobs, so that the janitor does not wait before restoring them. */
async function makeOpenJobsOld() {
  for (const id of await redis.zrange(openJobsKey, '0', '-1')) await redis.zadd(openJobsKey, 'XX', 0, id)
}

test('wherever a submit is cut off from Redis, repeating it with the same key succeeds', {
  timeout: 300_000,
}, async () => {
  const worker = await service.startWorker(overrides({ janitorSeconds: 1 }))
  const cut = (await Promise.all(losses.map(cutEverywhere))).flat()
  // Each kind of loss affected several commands, some of them transparently recovered.
  expect(cut.length).toBeGreaterThanOrEqual(4 * losses.length)
  expect(new Set(cut.map(({ status }) => status))).toEqual(new Set([202, 503]))

  const repeat = async ({ client, key, fileName }: Cut) => {
    const again = await submit(client, key, fileName)
    const location = again.headers.get('Location')
    if (![200, 202].includes(again.status) || location === null) return [fileName, again.status, again.body.error]
    await makeOpenJobsOld()
    const job: JobRecord = await client.followJob(location)
    const last = await submit(client, key, fileName, 'wait=10')
    if (job.state === 'succeeded' && last.status === 200 && last.headers.get('Location') === location) return null
    return [fileName, job.state, job.error, last.status, last.body.error]
  }
  expect((await Promise.all(cut.map(repeat))).filter((wrong) => wrong !== null)).toEqual([])

  // No cut submit remains open or is counted as open.
  await makeOpenJobsOld()
  await expect.poll(() => redis.zcard(openJobsKey), { timeout: 30_000 }).toBe(0)
  await worker.stop(10_000)
})
