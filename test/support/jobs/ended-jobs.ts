import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { JobCallback, JobRecord } from '../../../shared/jobs/job.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import type { finalStates } from '../../../wire/job-states.ts'
import type { WorkerContext } from '../../../worker/context.ts'

type Records = Pick<WorkerContext, 'records'>

/** The org of these jobs, unless another is given. */
export const orgName = 'acme/people'

export async function jobWithCallback({ records }: Records, callbackUrl: string, org = orgName): Promise<string> {
  const id = randomUUID()
  const names = { orgName: org, fileName: `${id}.json` }
  await records.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 1, force: false, callbackUrl }),
    subRequests: 1,
  })
  return id
}

/** Ends a new job, but does not queue its callback, which is then due. */
export async function endedJob(
  context: Records,
  callbackUrl: string,
  state: (typeof finalStates)[number] = 'succeeded',
  org = orgName,
): Promise<string> {
  const id = await jobWithCallback(context, callbackUrl, org)
  const error = {
    status: 502,
    code: 'originBroke',
    message: 'the connection to the origin database ended while it was read',
  }
  await context.records.finish(id, state, state === 'failed' ? { error } : {})
  return id
}

export const callbackOf = async ({ records }: Records, id: string) => ((await records.read(id)) as JobRecord).callback

/** A whole callback after an attempt at a receiver, for `toEqual`. Its next attempt is null, as after its last. */
export const attempted = (host: string, told: Pick<JobCallback, 'state' | 'attempts' | 'lastStatus'>) => ({
  lastFailure: null,
  lastAttemptAt: expect.stringMatching(/^20.*Z$/),
  nextAttemptAt: null,
  host,
  ...told,
})
