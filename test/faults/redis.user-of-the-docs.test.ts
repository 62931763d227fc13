import { Redis } from 'ioredis'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { connectProducer } from '../../shared/redis/connect.ts'
import { requireFitRedis } from '../../shared/redis/fit.ts'
import { prepare } from '../support/clients/e2e.ts'
import { documentedRule } from '../support/documents/redis-user.ts'
import { ownRedis } from '../support/faults/own-redis.ts'
import { runDoctor } from '../support/programs/doctor.ts'
import { ownService } from '../support/programs/own-service.ts'
import { callbackSettings, newSecret, soon, startReceiver } from '../support/servers/receiver.ts'

vi.setConfig({ testTimeout: 120_000 })

const own = await ownRedis((end) => afterAll(end), ['--maxmemory', '100mb'])
const admin = new Redis(own.address.url)
afterAll(() => admin.disconnect())
await admin.call('ACL', 'SETUSER', 'packets', 'on', '>secret', ...documentedRule.split(' '))
const REDIS_URL = own.address.url.replace('://', '://packets:secret@')
const receiver = await startReceiver()

/** The commands since the last reset, and how many calls Redis refused. */
async function statistics() {
  const lines = (await admin.info('commandstats')).split('\r\n').filter((line) => line.startsWith('cmdstat_'))
  const refused = lines.filter((line) => !/rejected_calls=0/.test(line))
  return { names: lines.map((line) => /^cmdstat_([^:|]+)/.exec(line)?.[1] as string), refused }
}

test('with the Redis user of operations.md everything works, and the look at its rights covers all commands', async () => {
  const redis = connectProducer({ url: REDIS_URL, sentinel: null }, { warn() {} })
  onTestFinished(() => redis.disconnect())
  await redis.connect()
  await admin.config('RESETSTAT')
  await requireFitRedis(redis)
  const covered = await statistics()
  expect(covered.refused).toEqual([])

  await admin.config('RESETSTAT')
  const env = { REDIS_URL, ...callbackSettings([receiver], newSecret()), WORKER_CONCURRENCY: '2' }
  const { service, client } = await ownService({ workers: 1, env })
  const { org, fields } = await prepare(3, service)
  const order = (fileName: string) => ({ ...fields, originIds: ['p1'], orgName: org, fileName })
  const callbackUrl = `https://${receiver.address}/hook`
  expect(
    (await client.post('/1.0/publish/', { ...order('one'), callbackUrl }, { 'Idempotency-Key': org })).status,
  ).toBe(200)
  // A large multi has slices.
  expect(
    (
      await client.post(
        '/1.0/publish/multi',
        Array.from({ length: 45 }, () => order('many')),
      )
    ).status,
  ).toBe(200)
  expect((await client.post('/1.0/ops/pause')).status).toBe(200)
  const { headers } = await client.post('/1.0/publish/', order('cancelled'), { Prefer: 'respond-async' })
  const location = headers.get('Location') as string
  expect((await client.post(`${location}/cancel`)).status).toBe(200)
  expect((await client.post('/1.0/ops/resume')).status).toBe(200)
  expect((await client.followJob(location)).state).toBe('cancelled')
  for (const path of [`/1.0/jobs?orgName=${org}`, '/1.0/ops/overview', '/1.0/publish/status']) {
    expect((await client.get(path)).status).toBe(200)
  }
  expect(await (await fetch(`${service.apiUrl}/metrics`)).text()).toContain('packets_redis_memory_bytes')
  await expect.poll(() => receiver.received.length, soon).toBe(1)
  expect((await runDoctor({ REDIS_URL })).notOk.filter((line) => !line.includes('persistence'))).toEqual([])
  await service.stop()

  const used = await statistics()
  // The doctor can do without settings, and BullMQ without names of its connections.
  expect(used.refused.filter((line) => !/^cmdstat_(config|client)/.test(line))).toEqual([])
  const others = ['auth', 'ping', 'config', 'scan', 'mget', 'multi', 'exec', 'client', 'quit', 'hello']
  expect(used.names.filter((name) => !covered.names.includes(name) && !others.includes(name))).toEqual([])
})
