import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import type { Input } from '../../../api/http/endpoint.ts'
import { cancelJob } from '../../../api/jobs/cancel-job.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'

const job = { id: 'job', orgName: 'org', fileName: 'file', createdAt: '2026-11-22T12:00:00.000Z' }
const progress = { subRequests: 1 }

const context = {
  records: {
    read: async () => ({ ...job, progress, state: 'cancelled' }),
    hold: async () => null,
    cancel: async () => ({ state: 'cancelled', isCancelledNow: true }),
    replicated: async () => {},
  },
  queue: { remove: async () => {} },
  store: { put: async () => 'etag', async *list() {} },
  log: { info() {}, warn() {} },
  metrics: createMetrics(),
}

const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length

test('a cancel that is answered leaves no timer behind', async () => {
  const principal = { name: 'a', identity: 'a', orgs: ['*'], scopes: [], expiresAt: null }
  const input = { principal, changed() {}, params: { id: 'job' } } as unknown as Input<unknown, unknown, unknown>
  const before = timers()
  const answer = await cancelJob.handle(context as unknown as ApiContext, input)
  expect(answer).toMatchObject({ status: 200, value: { state: 'cancelled' } })
  expect(timers()).toBe(before)
})
