import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { describe, expect, test, vi } from 'vitest'
import type { ClientAnswer, PublishAnswer } from '../../dev/client.ts'
import { overrides } from '../../dev/service.ts'
import type { RunningProcess } from '../../dev/stack/processes.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { queueName, queuePrefix } from '../../shared/redis/keys.ts'
import { prepare } from '../support/clients/e2e.ts'
import { untilFrozen } from '../support/faults/processes.ts'
import { ownService } from '../support/programs/own-service.ts'

const tokens = [
  { name: 'stranger', orgs: ['stranger'], scopes: ['publish:read', 'publish:write'] },
  { name: 'reader', orgs: ['*'], scopes: ['publish:read'] },
]
const { service, client, as, keysBelow } = await ownService({ tokens })
const { org, ids, fields } = await prepare(60, service)

const request = (fileName: string) => ({ ...fields, originIds: ids, orgName: org, fileName })
const cancel = (location: string) => client.post<JobRecord>(`${location}/cancel`)

/** The job created by a POST that is still waiting. */
async function locationOf(fileName: string): Promise<string> {
  return vi.waitFor(
    async () => {
      const { body } = await client.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}`)
      const job = body.jobs.find((each) => each.fileName === fileName)
      if (job === undefined) throw new Error(`there is no job for ${fileName}`)
      return `/1.0/jobs/${job.id}`
    },
    { timeout: 30_000, interval: 20 },
  )
}

async function untilState(location: string, state: string): Promise<void> {
  const stateNow = async () => (await client.get<JobRecord>(location)).body.state
  await expect.poll(stateNow, { timeout: 30_000, interval: 20 }).toBe(state)
}

/** Resumes a worker that froze itself, and follows the job to its end. */
async function thaw(worker: RunningProcess, location: string): Promise<JobRecord> {
  // Repeats the signal, as the worker may not have frozen yet.
  const thawing = setInterval(() => worker.kill('SIGCONT'), 50)
  try {
    return await client.followJob(location)
  } finally {
    clearInterval(thawing)
  }
}

/** Expects the response to a POST whose job was cancelled. */
async function expectCancelled(waiting: Promise<ClientAnswer<PublishAnswer>>, location: string): Promise<void> {
  const { status, headers, body } = await waiting
  expect([status, headers.get('Location'), body.error]).toEqual([
    409,
    location,
    '409 Conflict: the job was cancelled; it has no result',
  ])
}

const leftOf = async (location: string) =>
  (await keysBelow(`${org}/`)).filter((key) => key.includes(location.split('/').at(-1) as string))

/** Waits until only the marker is left: an answer does not wait for what takes longer than two seconds to remove. */
const untilOnlyMarked = (location: string) =>
  expect.poll(() => leftOf(location), { timeout: 30_000 }).toEqual([expect.stringMatching(/\/cancelled$/)])

describe('a queued job', () => {
  test('a queued job is cancelled at once with 200; its POST gets 409, its name is free, a marker stays', async () => {
    const waiting = client.post('/1.0/publish/', request('waits'))
    const location = await locationOf('waits')
    const { status, body } = await cancel(location)
    expect([status, body.state, body.attempt, body.error]).toEqual([200, 'cancelled', 0, null])
    expect(body).toEqual((await client.get(location)).body)
    await expectCancelled(waiting, location)
    const result = await client.get(`${location}/result`)
    expect([result.status, result.body.error]).toEqual([409, '409 Conflict: the job was cancelled; it has no result'])
    await untilOnlyMarked(location)
    const redis = new Redis(service.redisUrl, { maxRetriesPerRequest: null })
    const queue = new Queue(queueName, { connection: redis, prefix: queuePrefix })
    await expect.poll(() => queue.getJobState(body.id), { timeout: 30_000 }).toBe('unknown')
    await queue.close()
    redis.disconnect()
    const again = await client.post('/1.0/publish/', request('waits'), { Prefer: 'respond-async' })
    expect(again.status).toBe(202)
    expect((await cancel(again.headers.get('Location') as string)).status).toBe(200)
  })

  test('a queued job may be cancelled repeatedly, with 200 each time', async () => {
    const submitted = await client.post('/1.0/publish/', request('twice'), { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    const answers = await Promise.all([1, 2, 3, 4].map(() => cancel(location)))
    answers.push(await cancel(location))
    expect(answers.map(({ status, body }) => [status, body.state])).toEqual(Array(5).fill([200, 'cancelled']))
  })

  test('a queued job is not cancelled by a token of another org, without the scope, or with a query', async () => {
    const submitted = await client.post('/1.0/publish/', request('kept'), { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    const answers = await Promise.all([
      as('stranger').post<{ detail: string }>(`${location}/cancel`),
      as('reader').post(`${location}/cancel`),
      client.post(`${location}/cancel?force=true`),
      client.post('/1.0/jobs/no-such-job/cancel'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 403, 400, 404])
    expect(answers[0]?.body).toMatchObject({ detail: 'there is no such job' })
    expect((await client.get<JobRecord>(location)).body.state).toBe('queued')
    expect((await cancel(location)).status).toBe(200)
  })
})

describe('a running job', () => {
  test('a running job with its parts staged is cancelled after a 202, and leaves no part and no packet', async () => {
    const waiting = client.post('/1.0/publish/', request('staged'))
    const location = await locationOf('staged')
    const worker = await service.startWorker(overrides({ failpoint: 'partStored:stop' }))
    await expect.poll(() => leftOf(location), { timeout: 30_000, interval: 50 }).toHaveLength(2) // request and part
    const { status, body } = await cancel(location)
    expect([status, body.state]).toEqual([202, 'running'])
    expect((await cancel(location)).status).toBe(202)
    const job = await thaw(worker, location)
    expect([job.state, job.attempt, job.error]).toEqual(['cancelled', 1, null])
    await expectCancelled(waiting, location)
    expect((await client.get(`/1.0/publish/${org}?filter=staged`)).body.fileNames).toEqual([])
    await untilOnlyMarked(location)
    // The same worker continues, and the name is free.
    expect((await client.post('/1.0/publish/', request('staged'))).status).toBe(200)
    await worker.stop(60_000)
  })

  test('a running job stops reading when cancelled', async () => {
    const many = Array.from({ length: 600 }, () => request('reading'))
    const submitted = await client.post('/1.0/publish/multi', many, { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    const worker = await service.startWorker(overrides({ failpoint: 'midRead:stop:3' }))
    // Between its slices a large multi has no run, and is cancelled at once.
    await untilFrozen(worker)
    expect((await cancel(location)).status).toBe(202)
    const job = await thaw(worker, location)
    expect([job.state, job.attempt]).toEqual(['cancelled', 1])
    expect(job.progress.subRequestsDone).toBeLessThan(600)
    expect(job.finishedAt).not.toBeNull()
    await worker.stop(60_000)
  })

  test('a cancel of a job that has begun to commit answers 409, and the job succeeds', async () => {
    const submitted = await client.post('/1.0/publish/', request('committed'), { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    const worker = await service.startWorker(overrides({ failpoint: 'beforeManifest:stop' }))
    await untilState(location, 'committing')
    const refused = await client.post<{ detail: string }>(`${location}/cancel`)
    expect([refused.status, refused.body.detail]).toEqual([409, 'the job is committing; it can no longer be cancelled'])
    expect((await thaw(worker, location)).state).toBe('succeeded')
    const finished = await client.post<{ detail: string }>(`${location}/cancel`)
    expect([finished.status, finished.body.detail]).toEqual([
      409,
      'the job is succeeded; it can no longer be cancelled',
    ])
    expect((await client.get(`${location}/result`)).status).toBe(200)
    await worker.stop(60_000)
  })
})

describe('a large multi with queued slices', () => {
  test('a large multi with queued slices only is cancelled at once; a marker stays, and its name is free', async () => {
    const many = Array.from({ length: 600 }, () => request('slices'))
    const submitted = await client.post('/1.0/publish/multi', many, { Prefer: 'respond-async' })
    const location = submitted.headers.get('Location') as string
    // Freezes in its second slice of twenty, which it hands back when it has to stop.
    const own = { WORKER_CONCURRENCY: '1', STOP_GRACE_SECONDS: '1', ...overrides({ failpoint: 'midRead:stop:30' }) }
    const worker = await service.startWorker(own)
    await untilFrozen(worker)
    await worker.stop(60_000)
    const waiting = (await client.get<JobRecord>(location)).body
    expect(waiting.state).toBe('running')
    expect(waiting.progress.subRequestsDone).toBeGreaterThanOrEqual(20)
    expect(waiting.progress.subRequestsDone).toBeLessThan(600)

    const { status, body } = await cancel(location)
    expect([status, body.state]).toEqual([200, 'cancelled'])
    await untilOnlyMarked(location)
    const redis = new Redis(service.redisUrl)
    await expect.poll(() => redis.keys(`*${waiting.id}*`), { timeout: 30_000 }).toEqual([`packets:job:${waiting.id}`])
    redis.disconnect()
    const next = await service.startWorker()
    expect((await client.post('/1.0/publish/', request('slices'))).status).toBe(200)
    await next.stop(60_000)
  })
})
