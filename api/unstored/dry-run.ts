import { defaultSyntax } from '../../packet/cypher/parameters.ts'
import { type Submission, subRequestsPerSlice } from '../../shared/jobs/job.ts'
import { observeBolt } from '../../shared/observability/metrics.ts'
import { dryRun } from '../../shared/publish/dry-run.ts'
import type { ApiContext } from '../context.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { readingFor } from '../http/reading.ts'
import { bindToModel } from '../submission/bind-to-model.ts'
import { lifeDaysOf } from '../submission/life-days.ts'
import { checkCallback, checkOrigins } from '../submission/submit.ts'

/**
 * `dryRun`: builds the packet within the limits of a request, and describes it. It stores, queues and claims nothing.
 * Contract 7.13.
 * @throws as a publish does for its expiresAfterDays, org, model, addresses and callbackUrl; tooManyAtOnce (429),
 * processBusy (503)
 */
export async function answerDryRun(
  given: ApiContext,
  { principal, signal }: Pick<Input, 'principal' | 'signal'>,
  order: Submission,
): Promise<Answer> {
  signal.throwIfAborted()
  const context = readingFor(given, { principal, signal })
  const { requests: _, batchSize, ...place } = order
  const { config, metrics } = context
  using reserved = new DisposableStack()
  reserved.defer(context.dryRunBudget(principal.identity, 1))
  reserved.defer(context.returnOnlyBudget(principal.identity, 1))
  lifeDaysOf(order, config.limits)
  const wouldConflict = await conflicts(context, place)
  const { requests, model } = await bindToModel(context, { principal, signal }, order)
  await checkOrigins(order, config.origin)
  await checkCallback(order, config.callbacks)
  const { limits } = config
  const tried = {
    requests,
    model,
    syntax: requests[0]?.parameterSyntax ?? defaultSyntax,
    batchSize,
    subRequestsPerSlice,
    jobPairs: limits.jobPairs,
    maxPairs: limits.returnOnlyPairs,
    limitSeconds: config.api.dryRunSeconds,
  }
  const originPolicy = { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: context.keptOrigins }
  const { sample, ...found } = await dryRun(tried, { originPolicy, signal })
  // The sample keeps the text of the pairs: to parse and print them would lose the types of numbers.
  const head = JSON.stringify({ ...found, wouldConflict }).slice(0, -1)
  return { kind: 'chunks', chunks: pieces(`{"dryRun":${head},"sample":[`, sample.join(','), ']}}') }
}

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts
}

/** Whether the publish would be refused for its name; null if it gives none. @throws noSuchOrg (404) */
async function conflicts(
  { packets, records }: ApiContext,
  { orgName, fileName, force }: Omit<Submission, 'requests' | 'batchSize'>,
): Promise<boolean | null> {
  if (orgName !== '') await packets.requireOrg(orgName)
  if (orgName === '' || fileName === '') return null
  if (force) return false
  if ((await packets.standingOf(orgName, fileName)).isTaken) return true
  return (await records.holder(orgName, fileName)) !== null
}
