import type { SelectionCount } from '../../../wire/dry-run.ts'
import { orAborted } from '../../lifecycle/or-aborted.ts'
import type { OpenSettings } from '../../origin/connect.ts'
import { readIndexes } from '../../read/schema.ts'
import { countAtSelected, countSelected } from '../../read/selection.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { type Plan, planOf, withEveryType } from '../../request/plan.ts'
import { type OpenOrigin, originsUntil } from '../write/origins.ts'

/**
 * Counts of what a dry run selects, by label and by type. Beyond this limit the dry run leaves counts out. Each is a
 * query.
 */
const mostCounts = 500

/**
 * Counts what each element of `select` takes, by label and by relationship type: without `where` from the statistics of
 * the origin, which cost nothing, else by searches. Contract 7.13. @param requests with all of `mappedIndices`
 */
export async function describeSelections(
  requests: readonly PublishRequest[],
  { originPolicy, signal, limitSeconds }: { originPolicy: OpenSettings; signal: AbortSignal; limitSeconds: number },
): Promise<SelectionCount[]> {
  const counts: SelectionCount[] = []
  await using origins = originsUntil(signal, originPolicy, limitSeconds)
  await orAborted(signal, async () => {
    let left = mostCounts
    for (const [subRequest, request] of requests.entries()) {
      if (request.select === undefined || left <= 0) continue
      const opened = await origins.open(request)
      const plan = withEveryType(planOf(request), await opened.schema.types())
      for (const [element, selector] of (plan.selectors ?? []).entries()) {
        const indexed = selector.where.length === 0 ? null : await readIndexes(opened.origin, 'NODE')
        for (const label of selector.labels) {
          if (left-- <= 0) break
          const nodes = await countSelected(opened.origin, label, selector)
          const keys = selector.where.map(({ property }) => property)
          const backed = indexed?.filter(({ of, property }) => of === label && keys.includes(property))
          const indexes = backed?.map(({ property }) => property) ?? null
          const relationships = nodes === 0 || left <= 0 ? {} : await countTypes(opened, plan, label, selector)
          left -= Object.keys(relationships).length
          counts.push({ subRequest, element, label, nodes, indexes, relationships })
        }
      }
    }
    await origins.release()
  })
  return counts
}

async function countTypes(
  { origin }: OpenOrigin,
  { relationships }: Plan,
  label: string,
  selector: NonNullable<Plan['selectors']>[number],
) {
  const found: Record<string, number> = {}
  for (const { type, direction } of relationships.slice(0, mostCounts)) {
    let count = 0
    for (const way of ['out', 'in'] as const) {
      if (direction === 'both' || direction === way)
        count += await countAtSelected(origin, label, selector, { type, direction: way })
    }
    if (count > 0) found[type] = count
  }
  return found
}
