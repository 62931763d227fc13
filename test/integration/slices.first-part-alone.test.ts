import { randomUUID } from 'node:crypto'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { progressOf } from '../../shared/jobs/record-hash.ts'
import type { Secrets } from '../../shared/jobs/secrets.ts'
import type { SliceRecords } from '../../shared/jobs/slice-record.ts'
import { storeRequest, subRequestsPerSlice } from '../../shared/jobs/stored-request.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { createKeptOrigins } from '../../shared/origin/kept-origins.ts'
import { parsePublishRequest } from '../../shared/publish/request/rules.ts'
import type { WorkerContext } from '../../worker/context.ts'
import { publishSlice } from '../../worker/publish-slices.ts'
import { createStaggeredStart } from '../../worker/staggered-start.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { only } from '../support/values/only.ts'

const { neo4j } = inject('stack')
const config = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

test('the second slice of a job in one worker is read only after the first has staged a part', async () => {
  const label = uniqueName('Person')
  const originIds = await drawRing(driver, label, 20)
  const { request } = parsePublishRequest({
    ...database(neo4j, label, 'id'),
    originIds,
    metadata: true,
    orgName: uniqueName('org'),
    fileName: 'f',
  })
  const requests = Array.from({ length: 2 * subRequestsPerSlice }, () => request)
  const { store: real } = await openTestStorage()
  const staged: string[] = []
  const [isStaging, mayStage] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const store: typeof real = {
    ...real,
    async put(key, bytes) {
      const etag = await real.put(key, bytes)
      if (!key.includes('/.parts/') || !key.includes(job.id)) return etag
      isStaging.resolve()
      await mayStage.promise
      staged.push(key)
      return etag
    },
  }
  const newJob = () => ({
    id: randomUUID(),
    orgName: request.orgName,
    fileName: request.fileName,
    batchSize: 10,
    compression: 'none' as const,
    createdAt: new Date().toISOString(),
    startedAt: null,
    ranMs: 0,
    progress: { ...progressOf('reading', requests.length) },
  })
  const [job, another] = [newJob(), newJob()].map((fields) => only<JobRecord>(fields)) as [JobRecord, JobRecord]
  for (const each of [job, another])
    await storeRequest(store, () => ({ sealedKey: '', text: 'encrypted' }), each, requests)
  const metrics = createMetrics()
  const keptOrigins = createKeptOrigins(metrics.originsKept)
  onTestFinished(() => keptOrigins.close())
  const context = only<WorkerContext>({
    store,
    config,
    metrics,
    keptOrigins,
    staggeredStart: createStaggeredStart(),
    failpoint: () => {},
    slices: only<SliceRecords>({ done: async () => {} }),
    secrets: only<Secrets>({ read: async () => () => [request.credentials] }),
  })
  const began: { slice: number; staged: number }[] = []
  const publish = (slice: number, of = job) => {
    let isFirst = of === job
    const onProgress = () => {
      if (isFirst) began.push({ slice, staged: staged.length })
      isFirst = false
    }
    return publishSlice(context, of, slice, { attempt: 1, signal: new AbortController().signal, onProgress })
  }
  const first = publish(0)
  await isStaging.promise
  const second = publish(1)
  // Meanwhile a slice of another job is built whole: enough time for the second slice to begin.
  await publish(1, another)
  mayStage.resolve()
  await Promise.all([first, second])
  expect(began.map(({ slice }) => slice)).toEqual([0, 1])
  expect(began[1]?.staged).toBeGreaterThan(0)
  expect(staged).toHaveLength((2 * subRequestsPerSlice * originIds.length) / job.batchSize)
})
