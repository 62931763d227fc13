import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { recordsOf } from '../../../api/context.ts'
import { parseRedisAddress } from '../../../shared/config/redis-address.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { connectProducer } from '../../../shared/redis/connect.ts'
import { recordKey } from '../../../shared/redis/keys.ts'
import { until } from '../../support/faults/processes.ts'
import { type Member, sentinelGroup } from '../../support/faults/sentinel-group.ts'

vi.setConfig({ testTimeout: 120_000 })

const group = await sentinelGroup((end) => afterAll(end))
const log = pino({ level: 'silent' })
const releases = new Releases(log)
const redis = parseRedisAddress(group.url)
const producer = releases.add('redis', connectProducer(redis, log), (it) => it.disconnect())
await producer.connect()
const records = await recordsOf({ redis }, producer, log, releases)
afterAll(() => releases.dispose())

async function someReplica(): Promise<Member> {
  const primary = await group.primary()
  return group.members.find((member) => member !== primary) as Member
}

const newJob = (fileName: string) => ({
  id: randomUUID(),
  kind: 'publish' as const,
  orgName: 'acme',
  fileName,
  subRequests: 1,
  order: orderOf({ batchSize: 100, force: false }),
})

test('a withdrawal does not overtake the creation that waits behind the replicas', async () => {
  await records.replicated()
  const replica = await someReplica()
  replica.freeze()
  const job = newJob('withdrawn')
  const waiting = records.replicated().catch(() => {})
  await until('the connection waits', async () => String(await producer.client('LIST')).includes('cmd=wait'))
  const creating = records.create(job).catch(() => {})
  const error = { status: 503, code: 'queueAway', message: 'away' }
  expect(await records.withdraw(job.id, error)).toBe('queued')
  await Promise.all([waiting, creating])
  expect((await records.read(job.id))?.state).toBe('failed')
  replica.wake()
  await group.settled()
})

test('while a replica that no Sentinel reaches is being promoted, nothing is accepted that only the other one has, also by a program that starts then', async () => {
  await records.replicated()
  const primary = await group.primary()
  const promoted = Promise.withResolvers<void>()
  let cutPort: number | null = null
  group.cutWhere((chunk, port) => {
    if (cutPort !== null) return port === cutPort
    if (!chunk.includes('NO\r\n$3\r\nONE\r\n')) return false
    // The command itself arrives. Only its answer, and all that follows, does not.
    cutPort = port
    promoted.resolve()
    return false
  })
  const failover = group.failOver()
  await promoted.promise
  const begun = performance.now()
  const startedThen = await recordsOf({ redis }, producer, log, releases)
  const accepted: string[] = []
  async function tryToCreate({ create }: typeof records): Promise<void> {
    const job = newJob(`during-a-promotion-${randomUUID()}`)
    const creation = await create(job).catch(() => null)
    if (creation?.outcome === 'created') accepted.push(job.id)
  }
  // A try takes two seconds. After five the Sentinels give up, and would make the replica follow the primary again.
  while (performance.now() - begun < 2_000) await Promise.all([records, startedThen].map(tryToCreate))
  group.cutWhere(null)
  await failover
  const now = await group.promoted(primary)
  expect(now.port).toBe(cutPort)
  const client = group.client(now)
  const found = await Promise.all(accepted.map((id) => client.exists(recordKey(id))))
  client.disconnect()
  expect(found.filter((exists) => exists === 0)).toEqual([])
  await group.settled()
  await expect.poll(() => records.replicated().catch(() => 'refused'), { timeout: 15_000 }).toBeUndefined()
})

test('however many changes wait for a silent replica, they succeed again once the Sentinels have noticed it', async () => {
  await records.replicated()
  const replica = await someReplica()
  replica.freeze()
  const begun = performance.now()
  const jobs = Array.from({ length: 100 }, (_, at) => records.create(newJob(`waits-${at}`)))
  const outcomes = await Promise.allSettled(jobs)
  // They share a `WAIT` of two seconds, or the one that follows it.
  expect(performance.now() - begun).toBeLessThan(7_000)
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
  expect(refused.filter((reason) => !reason.includes('replicas of Redis do not all have'))).toEqual([])
  await expect
    .poll(() => records.create(newJob(`later-${randomUUID()}`)).catch(() => null), {
      timeout: 25_000,
      interval: 500,
    })
    .toEqual({ outcome: 'created' })
  replica.wake()
  await group.settled()
})
