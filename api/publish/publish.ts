import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { isFinished } from '../../shared/jobs/finish-waiter.ts'
import { type Submission, submitJob } from '../../shared/jobs/submission.ts'
import { checkOrigin } from '../../shared/origin/connect.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Preferences } from '../endpoint.ts'
import { preferenceApplied } from '../prefer.ts'
import { jobAnswer } from './job-answer.ts'
import { returnPacket } from './return-packet.ts'

/** What #3 and #4 share: build at once and return, or hand to the workers and wait for them. Contract 7.3. */
export async function publish(
  context: ApiContext,
  principal: Principal,
  order: Submission,
  returnOnly: boolean,
  prefer: Preferences,
): Promise<Answer> {
  if (returnOnly) return returnPacket(context, order)
  if (!coversOrg(principal, order.orgName)) throw errors.noSuchOrg(order.orgName)
  return storePacket(context, order, prefer)
}

async function storePacket(context: ApiContext, order: Submission, prefer: Preferences): Promise<Answer> {
  const { config, packets, finished } = context
  const { orgName, fileName } = order
  await packets.requireOrg(orgName)
  if (!order.force && (await packets.isTaken(orgName, fileName))) throw errors.fileExists(orgName, fileName)
  for (const dbUrl of new Set(order.requests.map((request) => request.dbUrl))) await checkOrigin(dbUrl, config.origin)
  const id = await submitJob({ ...context, queuedJobsLimit: config.limits.queuedJobs }, order)
  const headers = { Location: `/1.0/jobs/${id}`, ...preferenceApplied(prefer) }
  const waitSeconds = prefer.respondAsync ? 0 : (prefer.waitSeconds ?? config.api.publishWaitSeconds)
  const job = await finished.wait(id, waitSeconds * 1_000)
  if (job === null || !isFinished(job)) {
    const error = `202 Accepted: still being built, see /1.0/jobs/${id}`
    return {
      kind: 'publish',
      status: 202,
      headers: { ...headers, 'Retry-After': '2' },
      response: publishResponse({ error }),
    }
  }
  return jobAnswer(context, job, headers, prefer.returnMinimal)
}
