import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import type { JobProgress, NamedJob } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { type JobEvent, transitions } from '../../shared/jobs/transitions.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { recordKey } from '../../shared/redis/keys.ts'
import { jobStates } from '../../wire/job-states.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const progress: JobProgress = {
  phase: 'reading',
  subRequests: 45,
  subRequestsDone: 0,
  pairs: 1,
  parts: 0,
  bytes: 0,
}

/** What each event does, by a run of a large multi: any of them may report. */
const events: Record<JobEvent, (job: NamedJob) => Promise<unknown>> = {
  start: ({ id }) => records.start(id),
  report: ({ id }) => records.progress(id, 1, progress),
  beginCommit: (job) => records.beginCommit(job, progress, createReport().read()),
  withdraw: ({ id }) => records.withdraw(id, { status: 503, code: 'queueFull', message: 'the queue is full' }),
  cancel: ({ id }) => records.cancel(id),
  end: ({ id }) => records.finish(id, 'succeeded', {}),
}

const all = (Object.keys(transitions) as JobEvent[]).flatMap((event) => jobStates.map((state) => ({ event, state })))

test.each(all)('$event in the state $state does what the table of transitions says', async ({ event, state }) => {
  const id = randomUUID()
  const job = { id, orgName: `org-${id}`, fileName: 'people' }
  await records.create({ ...job, kind: 'multi', order: orderOf({ batchSize: 5_000, force: false }), subRequests: 45 })
  await redis.hset(recordKey(id), 'state', state)
  const before = await redis.hgetall(recordKey(id))
  await events[event](job)
  const next = transitions[event][state]
  const after = await redis.hgetall(recordKey(id))
  if (next === null) expect(after).toEqual(before)
  else expect(after.state).toBe(next === 'end' ? 'succeeded' : next)
})

test('nothing happens to a job that is not there', async () => {
  const job = { id: randomUUID(), orgName: 'nobody', fileName: 'people' }
  for (const happens of Object.values(events)) await happens(job)
  expect(await redis.exists(recordKey(job.id))).toBe(0)
})
