import * as errors from '../../shared/errors/catalogue.ts'
import { idempotencyOf, parseIdempotencyKey, replayedJob } from '../../shared/jobs/idempotency.ts'
import { type Submission, type Submitted, submitJob } from '../../shared/jobs/submission.ts'
import { checkOrigin } from '../../shared/origin/connect.ts'
import { packetName } from '../../shared/storage/keys.ts'
import type { ApiContext } from '../context.ts'
import type { Input } from '../http/endpoint.ts'

export type Caller = Pick<Input<unknown, unknown, unknown>, 'principal' | 'prefer' | 'idempotencyKey'>

type Context = Pick<ApiContext, 'config' | 'packets' | 'generations' | 'records' | 'store' | 'secrets' | 'queue'>

/** A new job, or the one that the same request with the same `Idempotency-Key` made before. */
export async function submit(context: Context, caller: Caller, order: Submission): Promise<Submitted> {
  const { config, packets, generations, records } = context
  const { orgName, fileName } = order
  const key = parseIdempotencyKey(caller.idempotencyKey)
  const idempotency = key === null ? undefined : idempotencyOf(config.secretKeys, caller.principal.identity, key, order)
  const earlier = async () => idempotency && replayedJob(config.secretKeys, records, idempotency, order)
  // Looked for first: the name is taken by now if that job has succeeded.
  const known = await earlier()
  if (known) return { id: known, replayed: true }
  // Each asks something far away, so they are asked together; what is told is the first in this order.
  const [org, standing, origins] = [
    packets.requireOrg(orgName),
    order.force
      ? generations.above(packetName(orgName, fileName), Infinity).then(([latest = 0]) => ({ isTaken: false, latest }))
      : packets.standingOf(orgName, fileName),
    checkOrigins(new Set(order.requests.map(({ dbUrl }) => dbUrl)), config),
  ]
  await Promise.allSettled([org, standing, origins])
  await org
  const { isTaken, latest } = await standing
  if (isTaken) {
    // And again: the same request may have come at the same time and be through already.
    const meanwhile = await earlier()
    if (meanwhile) return { id: meanwhile, replayed: true }
    throw errors.fileExists(orgName, fileName)
  }
  await origins
  const { queuedJobs: openRunsLimit } = config.limits
  return submitJob({ ...context, openRunsLimit, secretKeys: config.secretKeys }, order, idempotency, latest)
}

// Ten thousand sub-requests may name as many hosts, each slow to resolve; those that are left the worker checks as well.
const checkingMs = 10_000

/** @throws invalidRequest (400), dbUrlRefused (422), originUnreachable (502) */
async function checkOrigins(dbUrls: Iterable<string>, { origin }: Pick<ApiContext['config'], 'origin'>): Promise<void> {
  const deadline = performance.now() + checkingMs
  for (const dbUrl of dbUrls) {
    if (performance.now() > deadline) return
    await checkOrigin(dbUrl, origin)
  }
}
