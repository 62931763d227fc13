import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { createReport } from '../../shared/publish/report.ts'
import type { Manifest } from '../../shared/storage/generations.ts'
import { commitPacket } from '../../worker/commit-packet.ts'
import type { WorkerContext } from '../../worker/context.ts'

const job = { id: 'j1', orgName: 'org', fileName: 'file', progress: { subRequests: 1 } } as JobRecord
const manifest = { parts: [] } as unknown as Manifest

/** How often a run that comes too late for its commit discards its parts. */
async function discarded(attempt: number | null): Promise<number> {
  let count = 0
  const context = {
    records: { beginCommit: async () => false },
    failpoint: () => {},
    log: pino({ level: 'silent' }),
    metrics: createMetrics(),
  } as unknown as WorkerContext
  const discard = async () => {
    count++
  }
  const commit = { attempt, manifest, report: createReport().read(), discard }
  await expect(commitPacket(context, job, commit)).rejects.toMatchObject({ code: 'jobInterrupted' })
  return count
}

test('a run that comes too late discards the parts that are its own', async () => {
  expect(await discarded(2)).toBe(1)
})

test('a step of a large multi leaves them alone: another step may have committed them', async () => {
  expect(await discarded(null)).toBe(0)
})
