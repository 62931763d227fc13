import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { ApiContext } from '../../../api/context.ts'
import { createBudget } from '../../../api/http/body/budget.ts'
import type { Input } from '../../../api/http/endpoint.ts'
import { listJobs } from '../../../api/jobs/list-jobs.ts'
import type { Principal } from '../../../shared/auth/principal.ts'
import { isAfter, type JobRecord } from '../../../shared/jobs/job.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { only } from '../../support/values/only.ts'

const positions = Array.from({ length: 2_000 }, (_, at) => ({ id: `j${9_999 - at}`, createdAt: 10_000 - at }))
/** Every third job has failed, the first 300 no longer exist. */
const stateOf = (at: number) => (at < 300 ? null : at % 3 === 0 ? 'failed' : 'succeeded')
const placeOf = (id: string) => 9_999 - Number(id.slice(1))
const orgName = 'o'.repeat(7_000)

function context() {
  let records = 0
  const unlisted = new Set<string>()
  const fake = only<JobRecords>({
    list: async (_, after, limit) =>
      positions.filter((one) => !unlisted.has(one.id) && (after === null || isAfter(one, after))).slice(0, limit),
    briefsOf: async (ids) =>
      ids.map((id) => {
        const state = stateOf(placeOf(id))
        return state && { id, state, orgName, fileName: id, callback: null, error: null }
      }),
    async readMany(ids) {
      records += ids.length
      return ids.map((id) => {
        const state = stateOf(placeOf(id))
        return state === null ? null : ({ id, state, orgName } as JobRecord)
      })
    },
    async unlist(_, ids) {
      for (const id of ids) unlisted.add(id)
    },
  })
  const listBudget = createBudget(64 * 1024 * 1024, 'lists')
  const api = only<ApiContext>({ records: fake, listBudget })
  return { api, records: () => records, unlisted }
}

type Query = { limit?: number; state?: 'failed' }
async function list(api: ApiContext, query: Query, closed = new AbortController()) {
  const principal = only<Principal>({ identity: 'ann', orgs: ['*'] })
  const input = only<Input>({ principal, signal: closed.signal, query })
  const answer = await listJobs.handle(api, input as Parameters<typeof listJobs.handle>[1])
  if (answer.kind !== 'chunks') throw new Error(answer.kind)
  const { jobs, next } = JSON.parse(await text(answer.chunks)) as { jobs: JobRecord[]; next: string | null }
  return { ids: jobs.map(({ id }) => id), next }
}

test('a list reads hardly more records than it answers, once missing jobs are off the list', async () => {
  const { api, records, unlisted } = context()
  expect(await list(api, { limit: 1 })).toEqual({ ids: ['j9699'], next: '9700.j9699' })
  await list(api, { limit: 500 })
  expect(unlisted.size).toBe(300)
  const before = records()
  await list(api, { limit: 1 })
  expect(records() - before).toBe(2)
  await list(api, { limit: 1, state: 'failed' })
  expect(records() - before).toBe(4)
  const { ids, next } = await list(api, { limit: 450, state: 'failed' })
  expect([ids.length, ids[0], next]).toEqual([450, 'j9699', `${10_000 - 300 - 3 * 449}.${ids.at(-1)}`])
})

test('the records of the lists that a token waits for are counted until their answers are sent', async () => {
  const { api } = context()
  const closed = Array.from({ length: 40 }, () => new AbortController())
  const all = await Promise.allSettled(closed.map((one) => list(api, { limit: 1_000 }, one)))
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  // Each takes 14 MB as text, and the share of one token is 32 MB.
  expect(refused.length).toBeGreaterThan(35)
  expect(new Set(refused)).toEqual(new Set(['tooManyAtOnce']))
  for (const one of closed) one.abort(new Error('the client left'))
  expect((await list(api, { limit: 1_000 })).ids.length).toBe(1_000)
})
