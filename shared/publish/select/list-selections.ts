import { markerLabel } from '../../../packet/state/marker-label.ts'
import * as errors from '../../errors/catalogue.ts'
import { orAborted } from '../../lifecycle/or-aborted.ts'
import type { OpenSettings } from '../../origin/connect.ts'
import { collectIds, distinctIds, type IdList } from '../../read/internal-ids.ts'
import { countNodes, countOthers, countSelected, listSelected, unknownNames } from '../../read/selection.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { agreement } from '../../request/multi.ts'
import { type Plan, planOf } from '../../request/plan.ts'
import { rulesOfIndices } from '../../request/rules.ts'
import { everyLabel, literal } from '../../request/select.ts'
import { shown } from '../../validation/issues.ts'
import { createReport, type Report } from '../report/report.ts'
import { type OpenOrigin, originsUntil } from '../write/origins.ts'
import { indicesByConstraints } from './indices-by-constraints.ts'

/** What was selected: the requests with all of `mappedIndices`, and what to report. The ids went to `take`. */
export interface Selected {
  requests: readonly PublishRequest[]
  report: Report
  /** Whether `atMost` left nodes out. */
  isCut: boolean
}

export interface SelectContext {
  originPolicy: OpenSettings
  signal: AbortSignal
  limitSeconds: number
  /** The most nodes of a selection, and the words for this limit; a request may set a lower one. */
  most: { nodes: number; what: string }
  /** Stops after so many nodes of each search, without an error. For dry runs. */
  atMost?: number
  /** How many nodes `take` gets at once. */
  nodesAtOnce: number
  /** Called with up to `nodesAtOnce` nodes of the request at this position. Awaited after each request. */
  take: (at: number, nodes: IdList) => void
  /** Called after each request: settles what `take` has begun. */
  settle?: () => Promise<unknown>
}

/**
 * Lists the nodes that requests select, by their internal ids. Contract 4.22. Memory holds the ids of one slice.
 * @throws unselectable (422) for a label or property that the origin does not have, and where constraints do not decide
 * `mappedIndices`; nothingSelected (422), tooManySelected (413), unpublishable (422), invalidRequest (400), jobTimedOut
 * (504), and the 502 errors of origins; the signal's reason when interrupted.
 */
export async function listSelections(requests: readonly PublishRequest[], context: SelectContext): Promise<Selected> {
  const { signal, limitSeconds, originPolicy } = context
  const timeout = AbortSignal.timeout(limitSeconds * 1_000)
  const stopped = AbortSignal.any([signal, timeout])
  const report = createReport()
  const completed = [...requests]
  const isMulti = requests.length > 1
  let isCut = false
  await using origins = originsUntil(stopped, originPolicy, Math.max(1, limitSeconds))
  try {
    await orAborted(stopped, async () => {
      for (const [at, request] of requests.entries()) {
        if (request.select === undefined) continue
        const pathOf = (field: string) => (isMulti ? `[${at}].${field}` : field)
        const origin = await origins.open(request)
        const one = await listOne(origin, request, { ...context, at, pathOf, report })
        completed[at] = one.completed
        isCut ||= one.isCut
        await context.settle?.()
      }
      await origins.release()
    })
  } catch (error) {
    signal.throwIfAborted()
    throw timeout.aborted ? errors.jobTimedOut(limitSeconds) : error
  }
  const broken = [...agreement(completed)]
  if (isMulti && broken.length > 0) throw errors.invalidRequest(broken)
  return { requests: completed, report, isCut }
}

interface Listing extends SelectContext {
  at: number
  pathOf: (field: string) => string
  report: Report
}

async function listOne(opened: OpenOrigin, request: PublishRequest, listing: Listing) {
  const { pathOf, report, atMost } = listing
  const { origin } = opened
  await requireKnown(opened, request, pathOf)
  const isDerived = request.mappedIndices === undefined
  const mappedIndices = request.mappedIndices ?? (await indicesByConstraints(origin, request.select ?? [], pathOf))
  const completed = { ...request, mappedIndices }
  const broken = isDerived ? [...rulesOfIndices(completed)] : []
  if (broken.length > 0) throw errors.invalidRequest(broken.map(([path, message]) => ({ path: pathOf(path), message })))
  const plan = planOf(completed)
  const limit = limitOf(request, listing)
  if (atMost === undefined) await requireFewer(opened, plan, limit)
  const from = new Date().toISOString()
  const { nodes, isCut } = await listNodes(opened, plan, listing, limit)
  const to = new Date().toISOString()
  const indices = Object.entries(isDerived ? mappedIndices : {}).map(([label, property]) => ({ label, property }))
  report.selected({ from, to, nodes, indices })
  const isWhole = (request.select ?? []).some(({ label, where }) => label === everyLabel && (where ?? null) === null)
  if (isDerived && isWhole && request.targetFilter === undefined) await reportOthers(opened, plan, nodes, listing)
  return { completed, isCut }
}

/** @throws unselectable (422) for a label or property that the origin does not have: it is probably mistyped */
async function requireKnown({ origin }: OpenOrigin, { select = [] }: PublishRequest, pathOf: Listing['pathOf']) {
  const named = select.filter(({ label }) => label !== everyLabel)
  const labels = await unknownNames(
    origin,
    'label',
    named.map(({ label }) => literal(label)),
  )
  const keys = await unknownNames(
    origin,
    'propertyKey',
    select.flatMap(({ where }) => Object.keys(where ?? {})),
  )
  for (const [at, { label, where }] of select.entries()) {
    const path = pathOf(`select[${at}]`)
    if (label !== everyLabel && labels.has(literal(label)))
      throw errors.unselectable(`${path}.label`, `the origin has no label "${shown(literal(label))}"`)
    const key = Object.keys(where ?? {}).find((property) => keys.has(property))
    if (key !== undefined)
      throw errors.unselectable(`${path}.where.${shown(key)}`, `the origin has no property "${shown(key)}"`)
  }
}

interface Limit {
  nodes: number
  refusal: () => Error
}

function limitOf({ maxNodes }: PublishRequest, { most, pathOf }: Listing): Limit {
  if (maxNodes === undefined || maxNodes > most.nodes) {
    return { nodes: most.nodes, refusal: () => errors.tooManySelected(pathOf('select'), most.what) }
  }
  return { nodes: maxNodes, refusal: () => errors.tooManySelected(pathOf('maxNodes'), `the ${maxNodes} of maxNodes`) }
}

/** Refuses at once what the statistics of the origin show to be too much; only the listing counts exactly. */
async function requireFewer({ origin }: OpenOrigin, { selectors, targetFilter }: Plan, limit: Limit): Promise<void> {
  if (targetFilter !== null) return
  for (const selector of selectors ?? []) {
    if (selector.where.length > 0) continue
    for (const label of selector.labels) {
      if ((await countSelected(origin, label, selector)) > limit.nodes) throw limit.refusal()
    }
  }
}

/** @returns how many nodes were listed, and whether `atMost` left others out */
async function listNodes(
  { origin }: OpenOrigin,
  { selectors, toLayer, targetFilter }: Plan,
  { at, pathOf, take, atMost, nodesAtOnce }: Listing,
  limit: Limit,
): Promise<{ nodes: number; isCut: boolean }> {
  let nodes = collectIds()
  let [total, collected] = [0, 0]
  // `toLayer` leads to the nodes that the filter is about.
  const filter = toLayer.length > 0 ? null : targetFilter
  let refusal: Error | null = null
  const listed = listSelected(origin, selectors ?? [], { filter, atMost }, (node) => {
    if (total === limit.nodes) refusal ??= limit.refusal()
    if (refusal) throw refusal
    nodes.add(node)
    total++
    if (++collected < nodesAtOnce) return
    take(at, distinctIds(nodes.list()))
    nodes = collectIds()
    collected = 0
  })
  const isCut = await listed.catch((error) => {
    throw refusal ?? error
  })
  if (total === 0) throw errors.nothingSelected(pathOf('select'))
  if (collected > 0) take(at, distinctIds(nodes.list()))
  return { nodes: total, isCut }
}

/**
 * The nodes of a whole graph that no constraint identifies: they cannot be published. Markers of replays are left out.
 * @throws unpublishable (422) unless the request skips them
 */
async function reportOthers({ origin }: OpenOrigin, plan: Plan, nodes: number, { report, atMost }: Listing) {
  const { identity } = plan
  const skips = plan.skips || atMost !== undefined
  if ((await countNodes(origin)) <= nodes) return
  for (const { label, nodes: count } of await countOthers(origin, [...identity.idProperties.keys(), markerLabel])) {
    const which = label === '' ? 'without a label' : `with the label "${shown(label)}"`
    const problem = `no constraint of the origin identifies its ${count} nodes ${which}: give mappedIndices`
    if (!skips) throw errors.unpublishable(problem)
    report.withoutIdentity(label, count)
  }
}
