import type { JobRecord } from '../shared/jobs/job.ts'
import { type ReadRequests, readRequests } from '../shared/jobs/stored/stored-request.ts'
import { cutSelection, readSelection, type StoredSelection } from '../shared/jobs/stored/stored-selection.ts'
import { observeBolt } from '../shared/observability/metrics.ts'
import { listSelections } from '../shared/publish/select/list-selections.ts'
import type { ListedIds } from '../shared/publish/select/listed-ids.ts'
import { distinctTreatments } from '../shared/publish/write/conflicts.ts'
import type { JobReport } from '../wire/job.ts'
import type { Run } from './build-slice.ts'
import type { WorkerContext } from './context.ts'

/** What the only slice of a job builds, whose nodes were just listed. */
export interface OnlySlice extends ReadRequests {
  listed: readonly (ListedIds | null)[]
  listing: JobReport
}

/**
 * The nodes that a job selects. The first run lists them: in memory if they make one slice, and otherwise in the store,
 * where any later run reads the list. docs/storage.md#selecting
 */
export async function listNodes(
  context: WorkerContext,
  job: JobRecord,
  { signal }: Pick<Run, 'signal'>,
): Promise<StoredSelection | { only: OnlySlice }> {
  const { store, config, metrics, failpoint } = context
  // If a rolled-back Redis has forgotten earlier runs, the list of this run gives way to a stored one.
  const known = job.attempt === 0 ? null : await readSelection(store, job)
  if (known) return known
  const { requests, model } = await readRequests(context, job)
  const cut = cutSelection(store, job, config.limits.nodesPerSlice)
  let next = 0
  /** Adds the sub-requests before this one, which select nothing. */
  const upTo = (at: number) => {
    for (; next < at; next++) if (requests[next]?.select === undefined) cut.add(next, null)
  }
  const { jobPairs, jobSeconds } = config.limits
  const listing = listSelections(requests, {
    originPolicy: { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: context.keptOrigins },
    signal,
    limitSeconds: Math.max(0, jobSeconds - Math.floor(job.ranMs / 1_000)),
    most: { nodes: jobPairs, what: `the ${jobPairs} of JOB_MAX_PAIRS` },
    take(at, nodes) {
      failpoint('midListing')
      upTo(at)
      cut.add(at, nodes)
    },
    settle: cut.settle,
    nodesAtOnce: config.limits.nodesPerSlice,
  })
  const { report, requests: completed } = await listing.catch(async (error) => {
    await cut.discard()
    throw error
  })
  upTo(requests.length)
  const listed = cut.only()
  if (listed) return { only: { requests: completed, model, listed, listing: report.read() } }
  const indices = Object.fromEntries(
    [...completed.entries()].flatMap(([at, { mappedIndices }]) =>
      requests[at]?.mappedIndices === undefined && mappedIndices ? [[at, mappedIndices]] : [],
    ),
  )
  // If this fails, the list may be stored nevertheless: then its chunks must stay.
  return cut.store({ indices, treatments: distinctTreatments(completed), report: report.read() })
}
