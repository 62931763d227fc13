import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { createMulti } from '../../../api/publish/create-multi.ts'
import { idempotencyOf } from '../../../shared/jobs/idempotency.ts'
import type { Submission } from '../../../shared/jobs/job.ts'
import { storeRequest } from '../../../shared/jobs/stored/stored-request.ts'
import { inTurns } from '../../../shared/lifecycle/turns.ts'
import type { Multi } from '../../../shared/request/multi.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { request } from '../valid-request.ts'

const subRequests = 100
const body = Array.from({ length: subRequests }, () => request({ orgName: 'o', fileName: 'f' }))

/** How often the event loop turned while the work was done. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, isOver] = [0, false]
  const count = async () => {
    for (; !isOver; turns++) await setImmediate()
  }
  const counted = count()
  const result = await work()
  isOver = true
  await counted
  return { result, turns }
}

afterEach(() => vi.restoreAllMocks())

test('a multi is read, hashed and stored while the event loop turns, however large it is', async () => {
  // Each look at the clock finds that a turn is over.
  let time = 0
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 100
    return time
  })
  const steps = createMulti.body?.readInSteps?.(body, {}) ?? expect.unreachable()
  const read = await turnsOf(() => inTurns(steps))
  const { requests } = read.result.value as Multi
  expect([requests.length, read.result.issues]).toEqual([subRequests, []])
  const submission: Submission = { kind: 'multi', orgName: 'o', fileName: 'f', batchSize: 1, force: false, requests }
  const hashed = await turnsOf(() => idempotencyOf([{ id: 'k', key: Buffer.alloc(32) }], 'c', 'k', submission))
  const encrypt = () => ({ sealedKey: 'sealed', text: 'encrypted', seal: () => '' })
  const stored = await turnsOf(() => storeRequest(openMemoryStore(), encrypt, { id: 'j', orgName: 'o' }, requests))
  for (const { turns } of [read, hashed, stored]) expect(turns).toBeGreaterThan(subRequests - 2)
})
