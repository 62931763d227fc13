import { defaultSyntax } from '../../packet/cypher/parameters.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { type Submission, subRequestsPerSlice } from '../../shared/jobs/job.ts'
import { observeBolt } from '../../shared/observability/metrics.ts'
import type { OpenSettings } from '../../shared/origin/connect.ts'
import { dryRun } from '../../shared/publish/dry-run.ts'
import { describeSelections } from '../../shared/publish/select/describe-selections.ts'
import { listHere } from '../../shared/publish/select/list-here.ts'
import type { PublishRequest } from '../../shared/request/fields.ts'
import { selects } from '../../shared/request/select.ts'
import type { ApiContext } from '../context.ts'
import { readingFor } from '../http/body/reading.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { bindToModel } from '../submission/bind-to-model.ts'
import { checkAddresses } from '../submission/check-addresses.ts'
import { lifeDaysOf } from '../submission/life-days.ts'
import { maskKeyFor } from '../submission/mask-key.ts'

/**
 * `dryRun`: builds the packet within the limits of a request, and describes it. It stores, queues and claims nothing.
 * Contract 7.13.
 * @throws as a publish does for its expiresAfterDays, org, model, addresses and callbackUrl; tooManyAtOnce (429),
 * processBusy (503)
 */
export async function answerDryRun(
  given: ApiContext,
  { principal, signal }: Pick<Input, 'principal' | 'signal'>,
  submission: Submission,
): Promise<Answer> {
  signal.throwIfAborted()
  const context = readingFor(given, { principal, signal })
  const { requests: _, batchSize, ...place } = submission
  const { config, metrics } = context
  using reserved = new DisposableStack()
  reserved.defer(context.dryRunBudget(principal.identity, 1))
  reserved.defer(context.returnOnlyBudget(principal.identity, 1))
  lifeDaysOf(submission, config.limits)
  refuseBase(submission)
  const maskKey = maskKeyFor(submission, config)
  const wouldConflict = await conflicts(context, place)
  const bound = await bindToModel(context, { principal, signal }, submission)
  await checkAddresses(submission, config)
  const { limits } = config
  const originPolicy = { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: context.keptOrigins }
  const { requests, ...selection } = await trySelections(bound.requests, {
    originPolicy,
    signal,
    limitSeconds: config.api.dryRunSeconds,
    jobPairs: limits.jobPairs,
  })
  const tried = {
    requests,
    ...selection,
    model: bound.model,
    maskKey,
    syntax: requests[0]?.parameterSyntax ?? defaultSyntax,
    batchSize,
    subRequestsPerSlice,
    jobPairs: limits.jobPairs,
    maxPairs: limits.returnOnlyPairs,
    limitSeconds: config.api.dryRunSeconds,
  }
  const { sample, ...found } = await dryRun(tried, { originPolicy, signal })
  // The sample keeps the text of the pairs: to parse and print them would lose the types of numbers.
  const head = JSON.stringify({ ...found, wouldConflict }).slice(0, -1)
  return { kind: 'chunks', chunks: pieces(`{"dryRun":${head},"sample":[`, sample.join(','), ']}}') }
}

/** @throws invalidRequest (400): a dry run builds a part of the packet, which shows nothing about deletions */
function refuseBase({ requests, kind }: Submission): void {
  const at = requests.findIndex(({ base }) => base !== undefined)
  if (at === -1) return
  const path = kind === 'multi' ? `[${at}].base` : 'base'
  throw errors.invalidRequest([{ path, message: 'must not be given in a dry run, which compares with no base' }])
}

/** Nodes of each label that a dry run of a selection reads. */
const nodesTried = 2_000

interface TrySettings {
  originPolicy: OpenSettings
  signal: AbortSignal
  limitSeconds: number
  jobPairs: number
}

/** Counts what the requests select, and lists some of it. */
async function trySelections(given: readonly PublishRequest[], { jobPairs, ...settings }: TrySettings) {
  if (!selects(given)) return { requests: given }
  const most = { nodes: jobPairs, what: `the ${jobPairs} of JOB_MAX_PAIRS` }
  const { requests, listed, report, isCut } = await listHere(given, { ...settings, most, atMost: nodesTried })
  const selections = await describeSelections(requests, settings)
  for (const [subRequest, { maxNodes = jobPairs }] of requests.entries()) {
    const ofOne = selections.filter((one) => one.subRequest === subRequest).map(({ nodes }) => nodes)
    const path = requests.length > 1 ? `[${subRequest}].maxNodes` : 'maxNodes'
    // Nodes with several labels count at each: only a single label shows for certain that there are too many.
    if (Math.max(0, ...ofOne) > maxNodes) throw errors.tooManySelected(path, `the ${maxNodes} that are allowed`)
  }
  return { requests, listed, isCut, selections, listing: report?.read() }
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
