import { expect, test, vi } from 'vitest'
import { openSmallPublishes, untilUndisturbed } from '../../support/clients/small-publish.ts'
import { measuredAt } from '../../support/programs/metrics.ts'

vi.setConfig({ testTimeout: 120_000 })

const { programs, requestsOf } = await openSmallPublishes()

test('a worker logs in to an origin once for publishes that follow each other', async () => {
  const opened = async (operation: string) =>
    (await measuredAt(programs[1] as string)).sum('packets_bolt_seconds_count', { database: 'origin', operation })
  await expect
    .poll(async () => {
      const before = await opened('reuse')
      for (let count = 0; count < 2; count++) await requestsOf('/1.0/publish/', {})
      return (await opened('reuse')) - before
    }, untilUndisturbed)
    .toBeGreaterThan(0)
  // More than one, where an origin took longer to end a transaction than the next publish to begin one.
  const kept = async () => (await measuredAt(programs[1] as string)).sum('packets_origins_kept')
  await expect.poll(kept).toBeGreaterThan(0)
  await expect.poll(kept, { timeout: 60_000 }).toBe(0)
})
