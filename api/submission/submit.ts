import * as errors from '../../shared/errors/catalogue.ts'
import { idempotencyOf, parseIdempotencyKey, replayedJob } from '../../shared/jobs/idempotency.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { currentTraceparent, inSpan } from '../../shared/observability/spans.ts'
import { messagingAttributes } from '../../shared/queue/queue.ts'
import { type Submitted, submitJob } from '../../shared/queue/submit-job.ts'
import { packetName } from '../../shared/storage/keys.ts'
import type { ApiContext } from '../context.ts'
import type { Input } from '../http/endpoint.ts'
import { bindToModel } from './bind-to-model.ts'
import { checkAddresses } from './check-addresses.ts'
import { lifeDaysOf } from './life-days.ts'
import { maskKeyFor } from './mask-key.ts'
import { stateOrderOf } from './state-order.ts'

export type Caller = Pick<Input, 'principal' | 'signal' | 'sender' | 'prefer' | 'idempotencyKey'>

type Context = Pick<
  ApiContext,
  'config' | 'packets' | 'generations' | 'records' | 'store' | 'secrets' | 'queue' | 'callbacks' | 'models'
>

/** Creates a job, or returns the one that the same request with the same `Idempotency-Key` created before. */
export async function submit(context: Context, caller: Caller, submission: Submission): Promise<Submitted> {
  const { config, packets, generations, records } = context
  const { orgName, fileName } = submission
  const key = parseIdempotencyKey(caller.idempotencyKey)
  const client = caller.principal.identity
  const idempotency = key === null ? undefined : await idempotencyOf(config.secretKeys, client, key, submission)
  const earlier = async () => idempotency && replayedJob(config.secretKeys, records, idempotency, submission)
  // Check this before the name, which is taken if that job has succeeded.
  const known = await earlier()
  if (known) return { id: known, replayed: true }
  const expiresAfterDays = lifeDaysOf(submission, config.limits)
  const maskKey = maskKeyFor(submission, config)
  // These remote checks run concurrently. If several fail, the first in this order is reported.
  const [org, binding, standing, addresses] = [
    packets.requireOrg(orgName),
    bindToModel(context, caller, submission),
    submission.force
      ? generations
          .above(packetName(orgName, fileName), Infinity)
          .then(([latest = 0]) => ({ isTaken: false, latest, at: undefined }))
      : packets.standingOf(orgName, fileName),
    checkAddresses(submission, config),
  ]
  await Promise.allSettled([org, binding, standing, addresses])
  await org
  await binding
  const { isTaken, latest, at: freeAt } = await standing
  if (isTaken) {
    // Check again: a concurrent duplicate of this request may have succeeded in the meantime.
    const meanwhile = await earlier()
    if (meanwhile) return { id: meanwhile, replayed: true }
    throw errors.fileExists(orgName, fileName)
  }
  await addresses
  const state = await stateOrderOf(generations, submission, await binding, maskKey)
  const { queuedJobs: openRunsLimit } = config.limits
  const submitting = { ...context, openRunsLimit, expiresAfterDays, secretKeys: config.secretKeys }
  const { model } = await binding
  const span = { kind: 'producer', parent: caller.sender.traceparent, attributes: messagingAttributes('send') } as const
  return inSpan('send publish', span, async (add) => {
    const sender = { ...caller.sender, traceparent: currentTraceparent() ?? caller.sender.traceparent }
    const submitted = await submitJob(submitting, submission, idempotency, {
      latestBefore: latest,
      freeAt,
      state,
      model,
      maskKey,
      sender,
    })
    add({ 'messaging.message.id': submitted.id })
    return submitted
  })
}
