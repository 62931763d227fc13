import type { Submission } from '../../shared/jobs/job.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import type { Submitted } from '../../shared/queue/submit-job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { preferenceApplied } from '../http/prefer.ts'
import { answerDryRun } from '../unstored/dry-run.ts'
import { returnPacket } from '../unstored/return-packet.ts'
import { jobAnswer } from './job-answer.ts'
import { type Caller, submit } from './submit.ts'

/** Shared by #3 and #4: answers a dry run, returns the packet, or submits a job and waits for it. Contract 7.3. */
export async function publish(
  context: ApiContext,
  caller: Caller,
  submission: Submission,
  { returnOnly, dryRun }: { returnOnly: boolean; dryRun: boolean | undefined },
): Promise<Answer> {
  if (dryRun) return answerDryRun(context, caller, submission)
  if (returnOnly) return returnPacket(context, caller, submission)
  const { prefer, signal } = caller
  const submitted = await submit(context, caller, submission)
  return { kind: 'later', answer: () => waitFor(context, submitted, { prefer, signal }) }
}

async function waitFor(
  context: ApiContext,
  { id, replayed }: Submitted,
  { prefer, signal }: Pick<Input, 'prefer' | 'signal'>,
): Promise<Answer> {
  const headers = {
    Location: `/1.0/jobs/${id}`,
    ...preferenceApplied(prefer),
    ...(replayed ? { 'Idempotent-Replayed': 'true' } : {}),
  }
  const waitSeconds = prefer.respondAsync ? 0 : (prefer.waitSeconds ?? context.config.api.publishWaitSeconds)
  // A new job that the client does not wait for need not be read.
  const job = waitSeconds > 0 || replayed ? await context.finished.wait(id, waitSeconds * 1_000, signal) : null
  if (job && isFinished(job)) return jobAnswer(context, job, headers, prefer.returnMinimal)
  const error = `202 Accepted: still being built, see /1.0/jobs/${id}`
  return {
    kind: 'publish',
    status: 202,
    headers: { ...headers, 'Retry-After': '2' },
    response: publishResponse({ error }),
  }
}
