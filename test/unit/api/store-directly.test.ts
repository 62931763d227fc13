import { afterEach, expect, test, vi } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { storeDirectly } from '../../../api/submission/store-directly.ts'
import type { Config } from '../../../shared/config/config.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import type { PacketViews } from '../../../shared/jobs/packet-views.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import { storageOn } from '../../../shared/storage/storage.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { keysBelow } from '../../support/storage/stored-packets.ts'
import { only } from '../../support/values/only.ts'

afterEach(() => vi.useRealTimers())

const content = { parameterSyntax: 'braces', numbers: 'plain', report: createReport().read() } as const
const packet = {
  orgName: 'org',
  fileName: 'file',
  expiresAfterDays: undefined,
  compression: undefined,
  contentOf: () => content,
}

function open() {
  const storage = storageOn(openMemoryStore())
  const context = only<ApiContext>({
    ...storage,
    config: only<Config>({ limits: only<Config['limits']>({ retentionDays: null, inlineBytes: 1_000 }) }),
    records: only<JobRecords>({ holder: async () => null }),
    views: only<PacketViews>({ markStale: async () => {}, refresh: async () => {} }),
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
  })
  return { storage, context }
}

/** Stores a packet of one part; `afterPart` runs when the part is in the store. */
const storeOnePart = (context: ApiContext, afterPart: () => void) =>
  storeDirectly(
    context,
    () => {},
    packet,
    async (sink) => {
      await sink({ number: 1, bytes: Buffer.from('{"statements":[]}'), pairs: 0, statements: {} })
      afterPart()
      return { counts: [], others: 0 }
    },
  )

test.each([
  [14, 'file'],
  [16, null],
])(
  'a packet whose API froze for %i minutes between its parts and its commit is committed within 15 minutes only',
  async (minutes, expected) => {
    const { storage, context } = open()
    await storage.packets.createOrg('org')
    vi.useFakeTimers({ toFake: ['Date'] })
    const stored = storeOnePart(context, () => vi.setSystemTime(Date.now() + minutes * 60_000))
    if (expected === null) {
      await expect(stored).rejects.toMatchObject({ code: 'jobInterrupted' })
      expect(await keysBelow(storage, 'org/')).toEqual(['org/.org'])
    } else await stored
    expect(await storage.packets.list('org', [''])).toEqual(expected === null ? [] : [expected])
  },
)

test('parts that were stored before the packet could not be written are removed', async () => {
  const { storage, context } = open()
  await storage.packets.createOrg('org')
  const stored = storeOnePart(context, () => {
    throw new Error('unforeseen')
  })
  await expect(stored).rejects.toThrow('unforeseen')
  expect(await keysBelow(storage, 'org/')).toEqual(['org/.org'])
})
