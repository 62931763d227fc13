import { equalIds, type Graph } from '../generator/graph.ts'
import type { Request } from '../generator/requests.ts'
import { idPropertyOf, isMapped, isMeantBy, meantBy } from './identities.ts'

export type Direction = 'out' | 'in' | 'both'

export interface Followed {
  type: string
  direction: Direction
}

/** `T` follows both directions, `T>` outgoing, `<T` incoming. Contract 4.5. */
export const followed = (text: string): Followed => ({
  type: text.replace(/^<|>$/g, ''),
  direction: text.startsWith('<') ? 'in' : text.endsWith('>') ? 'out' : 'both',
})

/** Positions of a node's relationships in that direction, without duplicates. */
export const relationshipsAt = (origin: Graph, node: number, { type, direction }: Followed): number[] =>
  origin.relationships.flatMap((relationship, index) => {
    const isHere =
      (direction !== 'in' && relationship.from === node) || (direction !== 'out' && relationship.to === node)
    return relationship.type === type && isHere ? [index] : []
  })

export const isRequestedById = ({ relationshipIds = [], relationshipIdField = '' }: Request, grn: unknown) =>
  grn !== undefined && relationshipIdField !== '' && isMeantBy(relationshipIds, grn)

export interface Selection {
  /** Positions of the targeted nodes. */
  targeted: number[]
  /** Origin ids without a node in the origin. */
  missingOriginIds: string[]
  missingRelationshipIds: string[]
  /** Positions of the relationships requested by id. */
  named: number[]
  /** Words that the refusal names: no origin id exists, nor its label with the id property (4.8), or nothing is selected. */
  mistyped: readonly string[] | null
  startLabel: string
  startKey: string
}

/** The nodes that a request targets. Contract 4.3 to 4.8. */
export function select(origin: Graph, request: Request): Selection {
  const { originIds = [], relationshipIds = [], toLayer = [], mappedIndices, relationshipIdField = '' } = request
  const { targetFilter } = request
  const passes = (index: number) =>
    targetFilter === undefined || origin.nodes[index]?.labels.includes(targetFilter) === true
  const startLabel = request.index ?? (mappedIndices.DEFAULT_INDEX as string)
  const startKey = idPropertyOf(mappedIndices, startLabel)
  const indexed = origin.nodes.flatMap(({ labels, properties }, index) =>
    labels.includes(startLabel) && properties[startKey] !== undefined ? [index] : [],
  )
  const idAt = (index: number) => origin.nodes[index]?.properties[startKey]
  const selected = request.select && selectedBy(origin, request)
  const starts = selected ?? indexed.filter((index) => isMeantBy(originIds, idAt(index)))
  const missingOriginIds = [...new Set(originIds)].filter((id) => !starts.some((index) => isMeantBy([id], idAt(index))))
  const named = origin.relationships.flatMap(({ properties }, index) =>
    isRequestedById(request, properties[relationshipIdField]) ? [index] : [],
  )
  const namedIds = named.map((index) => origin.relationships[index]?.properties[relationshipIdField])
  const reached =
    originIds.length === 0 && !selected
      ? named.flatMap((index) => [
          origin.relationships[index]?.from as number,
          origin.relationships[index]?.to as number,
        ])
      : starts.flatMap((start) => endsOf(origin, start, toLayer.map(followed), []))
  const isNothing = originIds.length > 0 && starts.length === 0 && indexed.length === 0
  return {
    targeted: [...new Set(reached)].filter(passes),
    missingOriginIds,
    missingRelationshipIds: [...new Set(relationshipIds)].filter(
      (id) => !namedIds.some((grn) => meantBy(id).some((meant) => equalIds(meant, grn))),
    ),
    named,
    mistyped: selected
      ? unselectable(origin, request, toLayer.length > 0 ? selected : selected.filter(passes))
      : isNothing
        ? [startLabel, 'originIds']
        : null,
    startLabel,
    startKey,
  }
}

/** The nodes that `select` names. Contract 4.22. */
const selectedBy = (origin: Graph, { select = [], mappedIndices }: Request): number[] =>
  origin.nodes.flatMap(({ labels, properties }, index) => {
    const isSelected = select.some(
      ({ label, where = {} }) =>
        labels.some((own) => (label === '*' ? isMapped(mappedIndices, own) : own === label)) &&
        Object.entries(where).every(([key, values]) => isMeantBy([values].flat(), properties[key])),
    )
    return isSelected ? [index] : []
  })

/** What the refusal names if an element has a label that the origin lacks, or if nothing is selected. */
function unselectable(origin: Graph, { select = [] }: Request, selected: readonly number[]): string[] | null {
  const absent = select.filter(
    ({ label }) => label !== '*' && !origin.nodes.some(({ labels }) => labels.includes(label)),
  )
  if (absent.length > 0) return absent.map(({ label }) => label)
  return selected.length === 0 ? ['select'] : null
}

/** End nodes of all paths along the hops that use no relationship twice. Contract 4.4. */
function endsOf(origin: Graph, at: number, hops: readonly Followed[], walked: readonly number[]): number[] {
  const [hop, ...others] = hops
  if (hop === undefined) return [at]
  return relationshipsAt(origin, at, hop)
    .filter((index) => !walked.includes(index))
    .flatMap((index) => {
      const { from, to } = origin.relationships[index] as { from: number; to: number }
      return endsOf(origin, from === at ? to : from, others, [...walked, index])
    })
}

/** Whether any path along `toLayer` visits a node twice. */
export function revisits(
  origin: Graph,
  request: Request,
  visited: readonly number[],
  hops = request.toLayer ?? [],
): boolean {
  const [hop, ...others] = hops
  const at = visited.at(-1) as number
  if (hop === undefined) return new Set(visited).size < visited.length
  return relationshipsAt(origin, at, followed(hop)).some((index) => {
    const { from, to } = origin.relationships[index] as { from: number; to: number }
    return revisits(origin, request, [...visited, from === at ? to : from], others)
  })
}
