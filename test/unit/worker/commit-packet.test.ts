import { pino } from 'pino'
import { expect, test } from 'vitest'
import * as errors from '../../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../../shared/jobs/record.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { createReport } from '../../../shared/publish/parts/report.ts'
import type { Manifest } from '../../../shared/storage/generations.ts'
import { commitPacket } from '../../../worker/commit-packet.ts'
import type { WorkerContext } from '../../../worker/context.ts'

const job = { id: 'j1', orgName: 'org', fileName: 'file', progress: { subRequests: 1 } } as JobRecord
const manifest = { parts: [] } as unknown as Manifest

/** Counts the discards of a run whose commit is not allowed to begin, or begins and then fails with `failure`. */
async function discarded(begins: boolean, failure: Error): Promise<number> {
  let count = 0
  const context = {
    records: { beginCommit: async () => begins },
    generations: { commit: () => Promise.reject(failure) },
    failpoint: () => {},
    log: pino({ level: 'silent' }),
    metrics: createMetrics(),
  } as unknown as WorkerContext
  const discard = async () => {
    count++
  }
  const commit = { attempt: 2, manifest, report: createReport().read(), discard }
  await expect(commitPacket(context, job, commit)).rejects.toThrow()
  return count
}

test('a run that lost its commit discards its parts; without a response it keeps them, as it may have won', async () => {
  expect(await discarded(false, new Error('not reached'))).toBe(1)
  expect(await discarded(true, errors.fileExists('org', 'file'))).toBe(1)
  expect(await discarded(true, errors.storeAway(new Error('no answer')))).toBe(0)
})
