import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { recordsOf } from '../../../api/context.ts'
import { parseRedisAddress } from '../../../shared/config/redis-address.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { connectProducer } from '../../../shared/redis/connect.ts'
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
      timeout: 15_000,
      interval: 500,
    })
    .toEqual({ outcome: 'created' })
  replica.wake()
  await group.settled()
})
