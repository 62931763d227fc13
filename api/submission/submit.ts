import type { CallbackSettings, OriginSettings } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { idempotencyOf, parseIdempotencyKey, replayedJob } from '../../shared/jobs/idempotency.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { askedFor } from '../../shared/jobs/order.ts'
import { currentTraceparent, inSpan } from '../../shared/observability/spans.ts'
import { checkOrigin } from '../../shared/origin/connect.ts'
import { type HttpsUrl, parseHttpsUrl } from '../../shared/origin/https-url.ts'
import { callbackAddress } from '../../shared/queue/callback-address.ts'
import { messagingAttributes } from '../../shared/queue/queue.ts'
import { type Submitted, submitJob } from '../../shared/queue/submit-job.ts'
import { packetName } from '../../shared/storage/keys.ts'
import type { ApiContext } from '../context.ts'
import type { Input } from '../http/endpoint.ts'
import { bindToModel } from './bind-to-model.ts'
import { lifeDaysOf } from './life-days.ts'

export type Caller = Pick<Input, 'principal' | 'signal' | 'sender' | 'prefer' | 'idempotencyKey'>

type Context = Pick<
  ApiContext,
  'config' | 'packets' | 'generations' | 'records' | 'store' | 'secrets' | 'queue' | 'callbacks' | 'models'
>

/** Creates a job, or returns the one that the same request with the same `Idempotency-Key` created before. */
export async function submit(context: Context, caller: Caller, order: Submission): Promise<Submitted> {
  const { config, packets, generations, records } = context
  const { orgName, fileName } = order
  const key = parseIdempotencyKey(caller.idempotencyKey)
  const client = caller.principal.identity
  const idempotency = key === null ? undefined : await idempotencyOf(config.secretKeys, client, key, order)
  const earlier = async () => idempotency && replayedJob(config.secretKeys, records, idempotency, order)
  // Check this before the name, which is taken if that job has succeeded.
  const known = await earlier()
  if (known) return { id: known, replayed: true }
  const expiresAfterDays = lifeDaysOf(order, config.limits)
  // These remote checks run concurrently. If several fail, the first in this order is reported.
  const [org, binding, standing, origins, callback] = [
    packets.requireOrg(orgName),
    bindToModel(context, caller, order),
    order.force
      ? generations
          .above(packetName(orgName, fileName), Infinity)
          .then(([latest = 0]) => ({ isTaken: false, latest, at: undefined }))
      : packets.standingOf(orgName, fileName),
    checkOrigins(order, config.origin),
    checkCallback(order, config.callbacks),
  ]
  await Promise.allSettled([org, binding, standing, origins, callback])
  await org
  await binding
  const { isTaken, latest, at: freeAt } = await standing
  if (isTaken) {
    // Check again: a concurrent duplicate of this request may have succeeded in the meantime.
    const meanwhile = await earlier()
    if (meanwhile) return { id: meanwhile, replayed: true }
    throw errors.fileExists(orgName, fileName)
  }
  await origins
  await callback
  const { queuedJobs: openRunsLimit } = config.limits
  const submitting = { ...context, openRunsLimit, expiresAfterDays, secretKeys: config.secretKeys }
  const { model } = await binding
  const span = { kind: 'producer', parent: caller.sender.traceparent, attributes: messagingAttributes('send') } as const
  return inSpan('send publish', span, async (add) => {
    const sender = { ...caller.sender, traceparent: currentTraceparent() ?? caller.sender.traceparent }
    const submitted = await submitJob(submitting, order, idempotency, { latestBefore: latest, freeAt, model, sender })
    add({ 'messaging.message.id': submitted.id })
    return submitted
  })
}

/** @throws callbacksOff, callbackUrlRefused, callbackUrlUnresolved (422) */
export async function checkCallback(order: Submission, settings: CallbackSettings | null): Promise<void> {
  const callbackUrl = askedFor(order.requests, 'callbackUrl')
  if (!callbackUrl) return
  if (settings === null) throw errors.callbacksOff()
  await callbackAddress(parseHttpsUrl(callbackUrl) as HttpsUrl, settings)
}

/**
 * Time in which the API checks the hosts of a multi. Beyond this limit the worker checks the rest. 10,000 sub-requests
 * may name as many hosts, each slow to resolve.
 */
const checkingMs = 10_000

/** @throws invalidRequest (400), dbUrlRefused (422), originUnreachable (502) */
export async function checkOrigins(
  { requests }: Pick<Submission, 'requests'>,
  settings: OriginSettings,
): Promise<void> {
  const deadline = performance.now() + checkingMs
  for (const dbUrl of new Set(requests.map(({ dbUrl }) => dbUrl))) {
    if (performance.now() > deadline) return
    await checkOrigin(dbUrl, settings)
  }
}
