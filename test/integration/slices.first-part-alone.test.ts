import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { storeRequest, subRequestsPerSlice } from '../../shared/jobs/stored-request.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { parsePublishRequest } from '../../shared/publish/request/rules.ts'
import type { WorkerContext } from '../../worker/context.ts'
import { publishSlice } from '../../worker/publish-slices.ts'
import { createStaggeredStart } from '../../worker/staggered-start.ts'
import { drawRing } from '../support/social-graph.ts'
import { openTestStorage } from '../support/storage.ts'

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
  const store: typeof real = {
    ...real,
    async put(key, bytes) {
      const etag = await real.put(key, bytes)
      if (!key.includes('/.parts/')) return etag
      if (staged.length === 0) await delay(1_000) // time in which the other slice could get far
      staged.push(key)
      return etag
    },
  }
  const job = {
    id: randomUUID(),
    orgName: request.orgName,
    fileName: request.fileName,
    batchSize: 10,
    createdAt: new Date().toISOString(),
    startedAt: null,
    ranMs: 0,
    progress: { subRequests: requests.length },
  } as JobRecord
  const credentials = [request.credentials]
  await storeRequest(store, () => ({ sealedKey: '', text: 'encrypted' }), job, requests)
  const context = {
    store,
    config,
    metrics: createMetrics(),
    staggeredStart: createStaggeredStart(),
    failpoint: () => {},
    secrets: { read: async () => () => credentials },
  } as unknown as WorkerContext
  const began: { slice: number; staged: number }[] = []
  const publish = (slice: number) => {
    let isFirst = true
    const onProgress = () => {
      if (isFirst) began.push({ slice, staged: staged.length })
      isFirst = false
    }
    return publishSlice(context, job, slice, { attempt: 1, signal: new AbortController().signal, onProgress })
  }
  const first = publish(0)
  await delay(50)
  await Promise.all([first, publish(1)])
  expect(began.find(({ slice }) => slice === 1)?.staged).toBeGreaterThan(0)
  expect(staged).toHaveLength((2 * subRequestsPerSlice * originIds.length) / job.batchSize)
})
