import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { stagingOf } from '../../worker/build-slice.ts'
import { commitPacket } from '../../worker/commit-packet.ts'
import { ownWorker } from '../support/programs/own-worker.ts'

const { context } = await ownWorker()
const { records, generations } = context
const hour = 3_600_000

test('a packet lives as long as was asked for, however long its run waited for Redis before the commit', async () => {
  const [id, orgName] = [randomUUID(), uniqueName('org')]
  const names = { orgName, fileName: 'f' }
  await records.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 1, force: false, expiresAfterDays: 0.5 / 24 }),
    subRequests: 1,
  })
  await records.start(id)
  const job = (await records.read(id)) as JobRecord
  const createdAt = new Date(Date.now() - hour).toISOString()
  const staging = stagingOf(context, job, 1)
  await staging.put({ number: 1, bytes: Buffer.from('1'), pairs: 1, statements: {} })
  const manifest = () => ({ ...staging.manifest(), createdAt })
  const content = { parameterSyntax: 'braces', numbers: 'plain', report: createReport().read() } as const
  await commitPacket(context, job, { staging: { ...staging, manifest }, parts: [...staging.parts], content })
  const current = await generations.current(`${orgName}/f`)
  const { createdAt: from = '', expiresAt = '' } = current?.manifest ?? {}
  expect(Date.parse(expiresAt) - Date.parse(from)).toBe(hour / 2)
  expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())
})
