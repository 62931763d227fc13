import { afterAll, expect, test, vi } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { authorityFile, sentinelGroup } from '../../support/faults/sentinel-group.ts'
import { runDoctor } from '../../support/programs/doctor.ts'
import { ownService } from '../../support/programs/own-service.ts'

vi.setConfig({ testTimeout: 120_000 })

const group = await sentinelGroup((end) => afterAll(end), true)
const env = { REDIS_URL: group.url, CA_FILE: authorityFile, WORKER_LOCK_SECONDS: '3' }
const { service } = await ownService({ workers: 1, env })
const client = createClient(service.apiUrl, service.tokens.all as string, { Connection: 'close' })
const { fields, org } = await prepare(5, service)

async function publish(fileName: string): Promise<number> {
  const body = { ...fields, originIds: ['p1'], orgName: org, fileName }
  return (await client.post('/1.0/publish/', body)).status
}

test('publishes succeed before and after a failover of Redis and Sentinels that only speak TLS', async () => {
  expect(group.url).toMatch(/^rediss\+sentinel:/)
  expect(await publish('before')).toBe(200)
  const before = await group.primary()
  await group.failOver()
  await group.promoted(before)
  await group.settled()
  await expect.poll(() => publish('after'), { timeout: 30_000, interval: 500 }).toBe(200)
})

test('a Redis whose authority is unknown is not used', async () => {
  const redisLines = async (more: Record<string, string>) =>
    (await runDoctor({ REDIS_URL: group.url, ...more })).lines.filter((line) => /^(ok|fail) +redis/.test(line))
  expect(await redisLines({ CA_FILE: authorityFile })).toEqual(expect.arrayContaining([expect.stringMatching(/^ok/)]))
  expect(await redisLines({})).toEqual([expect.stringMatching(/^fail/)])
})
