import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { AppError } from '../../../shared/errors/app-error.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import { type JobRecord, progressOf } from '../../../shared/jobs/job.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import {
  type CommitOptions,
  createGenerations,
  type Generations,
  type StagedPacket,
} from '../../../shared/storage/generations.ts'
import type { Manifest } from '../../../shared/storage/manifest.ts'
import type { Staging } from '../../../shared/storage/staging.ts'
import type { ObjectStore } from '../../../shared/store/object-store.ts'
import { commitPacket } from '../../../worker/commit-packet.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { only } from '../../support/values/only.ts'

const contentOf = () => ({
  parameterSyntax: 'braces' as const,
  numbers: 'plain' as const,
  report: createReport().read(),
})

const job = only<JobRecord>({
  id: 'j1',
  orgName: 'org',
  fileName: 'file',
  order: orderOf({ batchSize: 1, force: false }),
  version: 1,
  createdAt: new Date().toISOString(),
  progress: progressOf('reading', 1),
})
const run = randomUUID()
const manifest: Manifest = { jobId: job.id, attempt: 2, run, createdAt: '2026-11-22T12:00:00.000Z', parts: [] }
const packet = { parts: [], content: contentOf() }

/** How often a run discards its parts whose commit may begin or not, and then fails with `failure`, which it throws. */
async function discarded(begins: boolean, failure: AppError): Promise<number> {
  const discard = vi.fn(async () => {})
  const context = only<WorkerContext>({
    records: only<JobRecords>({ beginCommit: async () => begins }),
    generations: createGenerations(only<ObjectStore>({ now: () => Date.now(), create: () => Promise.reject(failure) })),
    failpoint: () => {},
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
  })
  const staging = only<Staging>({ run, manifest: () => manifest, discard })
  const forced = { ...job, order: { ...job.order, force: true } }
  await expect(commitPacket(context, forced, { staging, ...packet })).rejects.toMatchObject({ code: failure.code })
  return discard.mock.calls.length
}

test('a run that lost its commit discards its parts; without a response it keeps them, as it may have won', async () => {
  expect(await discarded(false, errors.jobInterrupted())).toBe(1)
  expect(await discarded(true, errors.fileExists('org', 'file'))).toBe(1)
  expect(await discarded(true, errors.storeAway(new Error('no answer')))).toBe(0)
  expect(await discarded(true, errors.packetDamaged(new Error('no JSON')))).toBe(0)
})

test('a commit expects the next number for a day, and no file of others for ten seconds, after the API has looked', async () => {
  const hoursAgo = (hours: number) => ({ createdAt: new Date(Date.now() - hours * 3_600_000).toISOString() })
  const optionsOf = async (more: Partial<JobRecord>) => {
    const commitStaged = vi.fn(async (_name: string, _packet: StagedPacket, _options: CommitOptions) => ({
      generation: 1,
      manifest,
    }))
    const context = only<WorkerContext>({
      records: only<JobRecords>({ beginCommit: async () => true }),
      generations: only<Generations>({ now: () => Date.now(), commitStaged, read: async () => manifest }),
      failpoint: () => {},
    })
    const staging = only<Staging>({ run, manifest: () => manifest })
    const lately = { ...job, order: { ...job.order, latestBefore: 7 }, ...more }
    await commitPacket(context, lately, { staging, ...packet })
    return commitStaged.mock.calls[0]?.[2]
  }
  expect((await optionsOf(hoursAgo(0)))?.latest).toBe(7)
  expect((await optionsOf(hoursAgo(23)))?.latest).toBe(7)
  expect((await optionsOf(hoursAgo(25)))?.latest).toBeUndefined()
  // The clock of the API or of this worker was wrong.
  expect((await optionsOf(hoursAgo(-25)))?.latest).toBeUndefined()
  // The API looked for files of others: that holds for ten seconds, by the clock of the store.
  const isFreeAfter = async (ms: number) =>
    (await optionsOf({ order: { ...job.order, freeAt: Date.now() - ms } }))?.isFree
  expect([await isFreeAfter(0), await isFreeAfter(11_000), await isFreeAfter(-11_000)]).toEqual([true, false, false])
  expect((await optionsOf({}))?.isFree).toBe(false)
  // A run that is frozen for longer sends no manifest.
  const { until = Number.POSITIVE_INFINITY } = (await optionsOf({})) ?? {}
  expect(until - Date.now()).toBeLessThanOrEqual(15 * 60_000)
})
