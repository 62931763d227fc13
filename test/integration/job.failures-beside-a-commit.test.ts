import { randomUUID } from 'node:crypto'
import { DelayedError, type Job } from 'bullmq'
import { afterAll, describe, expect, inject, test, vi } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { jobVersion } from '../../shared/jobs/version.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import type { JobPayload } from '../../shared/queue/queue.ts'
import { submitJob } from '../../shared/queue/submit-job.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { createGenerations } from '../../shared/storage/generations.ts'
import { generationKey, packetName } from '../../shared/storage/keys.ts'
import { stagingOf } from '../../worker/build-slice.ts'
import { commitPacket } from '../../worker/commit-packet.ts'
import { cancelJob, failJob, finishCommitted } from '../../worker/finish-job.ts'
import { runJob } from '../../worker/run-job.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { stagePacket, viewOf } from '../support/storage/stored-packets.ts'
import { only } from '../support/values/only.ts'

const { context } = await ownWorker()
const { records, generations } = context
const { neo4j } = inject('stack')
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const nameOf = ({ orgName, fileName }: JobRecord) => packetName(orgName, fileName)
const read = async (id: string) => (await records.read(id)) as JobRecord

/** A job whose latest run, of this attempt, has begun to commit unless Redis forgot that; and the commit of that run. */
async function committing(attempts: number, { isForgotten = false } = {}) {
  const [id, orgName, fileName] = [randomUUID(), uniqueName('org'), 'file']
  await records.create({
    id,
    kind: 'publish',
    orgName,
    fileName,
    order: orderOf({ batchSize: 10, force: false }),
    subRequests: 1,
  })
  for (let attempt = 1; attempt <= attempts; attempt++) await records.start(id)
  const { progress } = await read(id)
  const report = createReport().read()
  if (!isForgotten) expect(await records.beginCommit({ id, orgName, fileName }, progress, report)).toBe(true)
  const job = await read(id)
  const manifest = await stagePacket(context, nameOf(job), ['{"statements":[]}'], { jobId: id })
  const commit = (force = false) =>
    generations.commit(nameOf(job), manifest, { force, taken: () => errors.fileExists(orgName, fileName) })
  return { job, manifest, commit }
}

test('a job that a frozen run commits while it is being failed ends as succeeded', async () => {
  const { job, commit } = await committing(1)
  const commitAfterFirstLook = vi.fn(async (...asked: Parameters<typeof generations.ofJob>) => {
    const found = await generations.ofJob(...asked)
    if (commitAfterFirstLook.mock.calls.length === 1) await commit()
    return found
  })
  const meanwhile = { ...context, generations: { ...generations, ofJob: commitAfterFirstLook } }
  await failJob(meanwhile, job, errors.originBroke())
  expect(await read(job.id)).toMatchObject({ state: 'succeeded', generation: 1, error: null })
})

test('of two runs of a job that both commit, the first makes the packet, and the other removes its own parts only', async () => {
  const { job } = await committing(2)
  const content = { parameterSyntax: 'braces', numbers: 'plain', report: createReport().read() } as const
  const runs = await Promise.all(
    [1, 2].map(async (attempt) => {
      const staging = stagingOf(context, job, attempt)
      await staging.put({ number: 1, bytes: Buffer.from(`{"statements":[${attempt}]}`), pairs: 1, statements: {} })
      return staging
    }),
  )
  for (const staging of runs) {
    expect(await commitPacket(context, job, { staging, parts: [...staging.parts], content })).toBe(1)
  }
  const [first, second] = runs.map(({ parts }) => parts[0]?.key ?? '')
  expect((await generations.current(nameOf(job)))?.manifest.parts.map(({ key }) => key)).toEqual([first])
  expect(String(await context.store.get(first ?? ''))).toBe('{"statements":[1]}')
  expect(await context.store.get(second ?? '')).toBeNull()
})

test('a job that a frozen run has committed ends as succeeded when another run fails', async () => {
  const { job, commit } = await committing(1)
  await commit()
  await failJob(context, job, errors.originBroke())
  expect(await read(job.id)).toMatchObject({ state: 'succeeded', generation: 1, error: null })
})

test('a job that a run has committed, which Redis has forgotten, ends as succeeded when it is cancelled', async () => {
  const { job, commit } = await committing(1)
  await commit()
  await cancelJob(context, job)
  expect(await read(job.id)).toMatchObject({ state: 'succeeded', generation: 1 })
})

test('files of others under the name of a forced packet go, although it is the first packet of that name', async () => {
  const { job, commit } = await committing(1)
  for (const other of ['file', 'filePart2of3']) await context.store.put(`${job.orgName}/${other}`, Buffer.from('other'))
  await commit(true)
  await finishCommitted(context, { ...job, order: { ...job.order, force: true } })
  expect(await viewOf(context, job.orgName)).toEqual({ file: '{"statements":[]}' })
})

test('a job whose later run finds the name taken keeps an earlier run from committing', async () => {
  const { job, commit } = await committing(2)
  await failJob(context, job, errors.fileExists(job.orgName, job.fileName))
  expect(await read(job.id)).toMatchObject({ state: 'failed', error: { code: 'fileExists' } })
  await expect(commit()).rejects.toMatchObject({ code: 'jobVoided' })
})

test('a run that has stored parts does not commit after its job has ended, although Redis forgot that it had begun', async () => {
  const ends: Record<string, (job: JobRecord) => Promise<void>> = {
    cancelled: (job) => cancelJob(context, job),
    failed: (job) => failJob(context, job, errors.originBroke()),
  }
  for (const [state, end] of Object.entries(ends)) {
    const { job, commit } = await committing(1, { isForgotten: true })
    await end(job)
    expect((await read(job.id)).state).toBe(state)
    await expect(commit()).rejects.toMatchObject({ code: 'jobVoided' })
  }
})

describe.each([
  ['its own commit', 1],
  ['the packet below', 0],
])('a job beside a manifest that cannot be read: %s', (whose, commits) => {
  const ends: [string, object, (worker: typeof context, job: JobRecord) => Promise<void>][] = [
    ['failed', { code: 'originBroke' }, (worker, job) => failJob(worker, job, errors.originBroke())],
    ['cancelled', {}, cancelJob],
  ]
  test.each(ends)(
    `a job ends as %s although ${whose} cannot be read, and no run of it commits`,
    async (state, _, end) => {
      const { job, manifest, commit } = await committing(1)
      const name = nameOf(job)
      if (commits === 1) await commit()
      await context.store.put(generationKey(name, 1), Buffer.from('{"format":2}'))
      const worker = { ...context, generations: createGenerations(context.store) }
      await end(worker, job)
      expect(await read(job.id)).toMatchObject({ state, generation: null })
      // Readers and other publishes see the damage, as before, and a publish by force replaces it.
      await expect(worker.generations.current(name)).rejects.toMatchObject({ code: 'packetDamaged' })
      const late = worker.generations.commit(name, manifest, { force: true, taken: () => new Error('taken') })
      await expect(late).rejects.toMatchObject({ code: 'jobVoided' })
      const next = await stagePacket(context, name, ['{"statements":[1]}'])
      const replacing = { force: true, above: 2, taken: () => new Error('taken') }
      expect(await worker.generations.commit(name, next, replacing)).toBe(3)
      expect((await worker.generations.current(name))?.manifest.jobId).toBe(next.jobId)
    },
  )
})

test('a job that has committed ends as succeeded although a later manifest cannot be read', async () => {
  const { job, commit } = await committing(1)
  await commit()
  await context.store.put(generationKey(nameOf(job), 2), Buffer.from('{"format":2}'))
  await failJob({ ...context, generations: createGenerations(context.store) }, job, errors.originBroke())
  expect(await read(job.id)).toMatchObject({ state: 'succeeded', generation: 1, error: null })
})

test('a job whose runs have discarded their parts fails without a void generation', async () => {
  const { job, manifest } = await committing(1)
  for (const { key } of manifest.parts) await context.store.remove(key)
  await failJob(context, job, errors.fileExists(job.orgName, job.fileName))
  expect((await read(job.id)).state).toBe('failed')
  expect(await generations.list(nameOf(job))).toEqual([])
})

test('a job that fails again and again while it commits, but may pass, stays open', async () => {
  const label = uniqueName('Person')
  const originIds = await drawRing(driver, label, 1)
  const [orgName, fileName] = [uniqueName('org'), 'file']
  const fields = { ...database(neo4j, label, 'id'), originIds, metadata: true, orgName, fileName }
  const { request } = parsePublishRequest(fields)
  const submission = {
    kind: 'publish',
    orgName,
    fileName,
    batchSize: 10,
    force: false,
    requests: [request],
  } as const
  const submitting = { ...context, openRunsLimit: 10, secretKeys: context.config.secretKeys }
  const { id } = await submitJob(submitting, submission, undefined)
  const moves = { moveToDelayed: async () => {}, changePriority: async () => {} }
  const deliver = (attemptsMade: number, to = context) => {
    const delivery = {
      data: { id, version: jobVersion },
      opts: { attempts: 3 },
      attemptsMade,
      token: '',
      priority: 1,
      ...moves,
    }
    return runJob(to, only<Job<JobPayload>>(delivery as Partial<Job<JobPayload>>), new AbortController().signal)
  }
  const commitStaged = () => Promise.reject(new Error('unforeseen'))
  const failing = { ...context, generations: { ...generations, commitStaged } }
  for (const attemptsMade of [0, 1, 2, 3]) {
    await expect(deliver(attemptsMade, failing)).rejects.toThrow(DelayedError)
    expect(await read(id)).toMatchObject({ state: 'committing', attempt: attemptsMade + 1 })
  }
  await deliver(4)
  expect(await read(id)).toMatchObject({ state: 'succeeded', attempt: 5 })
})
