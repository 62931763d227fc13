import type { Job } from 'bullmq'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { jobVersion } from '../../shared/jobs/version.ts'
import type { JobPayload } from '../../shared/queue/queue.ts'
import { submitJob } from '../../shared/queue/submit-job.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { runJob } from '../../worker/run-job.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { only } from '../support/values/only.ts'

const { context } = await ownWorker()
const { neo4j } = inject('stack')
const driver = openDriver(neo4j)
afterAll(() => driver.close())

const label = uniqueName('Person')
const originIds = await drawRing(driver, label, 1)

/** Publishes one node. @returns the commands to Redis of its submission and its run, except what BullMQ's worker sends */
async function commandsOf() {
  const [orgName, fileName] = [uniqueName('org'), 'file']
  const fields = { ...database(neo4j, label, 'id'), originIds, metadata: true, orgName, fileName }
  const { request } = parsePublishRequest(fields)
  const submission = { kind: 'publish', orgName, fileName, batchSize: 10, force: false, requests: [request] } as const
  const submitting = { ...context, openRunsLimit: 10, secretKeys: context.config.secretKeys }
  const sent = vi.spyOn(context.redis, 'sendCommand')
  const { id } = await submitJob(submitting, submission, undefined)
  const submitted = sent.mock.calls.length
  const delivery = only<Job<JobPayload>>({ data: { id, version: jobVersion }, priority: 1, attemptsMade: 0 })
  await runJob(context, delivery, new AbortController().signal)
  const run = sent.mock.calls.length - submitted
  sent.mockRestore()
  expect((await context.records.read(id))?.state).toBe('succeeded')
  return { submitted, run }
}

test('a small publish sends four commands to Redis to be submitted, and ten to be run', async () => {
  // The first one loads the scripts, and a slow one reports its progress. What follows the answer, such as the settling of
  // plain files, may fall into the next one.
  await expect.poll(commandsOf, { timeout: 60_000 }).toEqual({ submitted: 4, run: 10 })
})
