import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { Releases } from '../../shared/lifecycle/releases.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { sweptKey } from '../../shared/redis/keys.ts'
import { linkLifetime } from '../../shared/storage/links.ts'
import { stagingOf } from '../../worker/build-slice.ts'
import { commitPacket } from '../../worker/commit-packet.ts'
import { startJanitor, sweepTime } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket as commit } from '../support/storage/stored-packets.ts'

const { context } = await ownWorker()
const { records, generations, redis, store } = context
const [minute, day] = [60_000, 24 * 3_600_000]

/** Sets the clock of this process, as its programs and the signatures of its requests see it. */
const shiftClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
afterEach(() => void vi.useRealTimers())

test.each([-10, 10])(
  'a packet of seven minutes lives for seven minutes, although the clock of its worker is %i minutes wrong',
  async (minutes) => {
    const [id, orgName] = [randomUUID(), uniqueName('org')]
    const order = orderOf({ batchSize: 1, force: false, expiresAfterDays: 0.005 })
    await records.create({ id, kind: 'publish', orgName, fileName: 'f', order, subRequests: 1 })
    await records.start(id)
    const job = (await records.read(id)) as JobRecord
    const begun = Date.now()
    shiftClock(minutes * minute)
    const staging = stagingOf(context, job, 1)
    await staging.put({ number: 1, bytes: Buffer.from('1'), pairs: 1, statements: {} })
    const content = { parameterSyntax: 'braces', numbers: 'plain', report: createReport().read() } as const
    await commitPacket(context, job, { staging, parts: [...staging.parts], content })
    const seen = await generations.current(`${orgName}/f`)
    vi.useRealTimers()
    const left = Date.parse(seen?.manifest.expiresAt ?? '') - begun
    expect([left > 0.005 * day - 3_000, left < 0.005 * day + minute]).toEqual([true, true])
  },
)

test('an API whose clock is ahead shows a packet, and signs its links, until it expires by the clock of the store', async () => {
  const name = `${uniqueName('org')}/f`
  const expiresAt = new Date(Date.now() + 5 * minute).toISOString()
  await commit(context, name, ['1'], { expiresAt })
  shiftClock(10 * minute)
  const seen = await generations.current(name)
  expect(seen?.manifest.expiresAt).toBe(expiresAt)
  expect(seen && (await linkLifetime(generations, name, seen, 60))).toBe(60)
})

test('a worker whose clock is two days ahead for a moment sweeps no packet that has a day to live', async () => {
  const name = `${uniqueName('org')}/f`
  await commit(context, name, ['1'], { expiresAt: new Date(Date.now() + day).toISOString() })
  await redis.del(sweptKey)
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 2 * day)
  const releases = new Releases(context.log)
  startJanitor(context, releases)
  await expect
    .poll(() => redis.exists(sweptKey), { timeout: 30_000 })
    .toBe(1)
    .finally(() => clock.mockRestore())
  await releases.dispose()
  expect((await generations.current(name))?.generation).toBe(1)
  expect(Date.parse((await redis.get(sweptKey)) ?? '')).toBeLessThan(Date.now() + minute)
})

test.each([
  ['the store', { store: 2 * day, redis: 0 }],
  ['Redis', { store: 0, redis: 2 * day }],
])('a sweep goes by the earlier clock when that of %s is ahead', async (_who, ahead) => {
  const time = async () => {
    const [seconds, micros] = await redis.time()
    return [Number(seconds) + ahead.redis / 1_000, micros] as [number, number]
  }
  const now = await sweepTime({
    redis: Object.assign(Object.create(redis), { time }),
    store: { ...store, now: () => store.now() + ahead.store },
  })
  expect(Math.abs(now - Date.now())).toBeLessThan(minute)
})
