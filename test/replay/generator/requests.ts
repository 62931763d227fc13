import type { Alphabet } from './alphabet.ts'
import type { Draft, Style } from './drafts.ts'
import type { Graph } from './graph.ts'

/** An element of `select`. */
export interface Selected {
  label: string
  where?: Readonly<Record<string, string | readonly string[]>>
}

/** A request without its origin address and packet destination. */
export interface Request {
  index?: string
  originIds?: readonly string[]
  select?: readonly Selected[]
  relationshipIds?: readonly string[]
  hardFilterRelationships?: boolean
  toLayer?: readonly string[]
  relationships?: readonly string[]
  preventCleanup?: boolean
  relationshipIdField?: string
  metadata?: boolean
  deleteProperties?: readonly string[]
  timestampRelationships?: boolean
  timestampProperty?: string
  relationshipDeleteOnly?: boolean
  deleteRelationshipById?: boolean
  targetFilter?: string
  protectedNodeProperties?: readonly string[]
  protectedRelationshipProperties?: readonly string[]
  dynamicLabels?: Readonly<Record<string, readonly string[]>>
  postbackTimestamp?: boolean
  searchIdField?: string
  searchFilter?: string
  preventSearch?: readonly string[]
  onUnpublishable?: 'fail' | 'skip'
  numbers?: 'plain' | 'strict'
  database?: string
  /** Uses the origin's other address, where internal ids are large. */
  isElsewhere?: boolean
  mappedIndices: Readonly<Record<string, string>>
}

const dynamicLabels = ({ a, b, x, y, z }: Alphabet, choice: number) =>
  [undefined, { [a]: [x, y, z], [b]: [y] }, { [x]: [y], [y]: [x, a] }][choice]

const picked = (values: readonly unknown[], pick: readonly boolean[]): string[] => [
  ...new Set(values.filter((_, index) => pick[index % pick.length]).map((value) => `${value}`)),
]

/** A request that obeys all rules between fields; it may still be refused because of the origin's data. */
export function buildRequest(draft: Draft, style: Style, origin: Graph, names: Alphabet): Request {
  const { mode } = draft
  const byIds = mode === 'by id' || mode === 'hard filter'
  const deletes = mode === 'delete only'
  const hasNodes = mode === 'nodes' || mode === 'both' || (draft.withMetadata && byIds)
  const hasRelationships = mode !== 'nodes'
  const hasIdField = hasRelationships && (byIds || style.relationshipIdField)
  const stamps = hasRelationships && style.stamps
  const selection = byIds ? null : draft.selection
  const hasOrigins = (mode === 'hard filter' || !byIds || draft.withOrigins) && selection === null
  const labels = dynamicLabels(names, style.labels)
  return {
    ...(hasOrigins ? { originIds: originIds(draft, origin, names) } : {}),
    ...(hasOrigins && draft.index !== 'a' ? { index: names[draft.index] } : {}),
    ...(selection === null ? {} : { select: selectionOf(selection, draft, origin, names) }),
    ...(byIds ? { relationshipIds: relationshipIds(draft, origin), preventCleanup: true } : {}),
    ...(mode === 'hard filter' ? { hardFilterRelationships: true } : {}),
    ...(!byIds && draft.toLayer ? { toLayer: draft.toLayer } : {}),
    ...(!byIds && hasRelationships ? { relationships: draft.relationships } : {}),
    ...(!byIds && !deletes && draft.preventCleanup ? { preventCleanup: true } : {}),
    ...(deletes ? { relationshipDeleteOnly: true } : {}),
    ...(hasIdField ? { relationshipIdField: 'grn' } : {}),
    ...(hasIdField && !byIds && draft.deleteById ? { deleteRelationshipById: true } : {}),
    // Accepted together with relationshipDeleteOnly, where it publishes nothing.
    ...(hasNodes || (deletes && draft.withMetadata) ? { metadata: true } : {}),
    ...(hasNodes && style.protects ? { protectedNodeProperties: ['secret'] } : {}),
    ...(hasNodes && style.deletes ? { deleteProperties: ['nick', 'odd `key'] } : {}),
    ...(hasNodes && labels ? { dynamicLabels: labels } : {}),
    ...(hasRelationships && style.protects ? { protectedRelationshipProperties: ['mine'] } : {}),
    ...(stamps ? { timestampRelationships: true } : {}),
    ...(style.postback ? { postbackTimestamp: true } : {}),
    ...(stamps || style.postback ? { timestampProperty: 'stamp' } : {}),
    ...(draft.targetFilter === null ? {} : { targetFilter: names[draft.targetFilter] }),
    ...(draft.search === null ? {} : searchOptions(draft.search, names)),
    ...(style.skips ? { onUnpublishable: 'skip' } : {}),
    ...(style.isStrict ? { numbers: 'strict' } : {}),
    mappedIndices: names.mappedIndices,
  }
}

function originIds(
  { mode, index, originIds, missing, withOrigins }: Draft,
  { nodes }: Graph,
  names: Alphabet,
): string[] {
  const everyId = nodes.flatMap(({ properties: { id, key } }) => id ?? key ?? [])
  if (mode === 'hard filter') return [...picked(everyId, withOrigins ? [true] : originIds), 'gone']
  const here = nodes.filter(({ labels }) => labels.includes(names[index]))
  const ids = here.flatMap(({ properties }) => (index === 'b' ? properties.key : properties.id) ?? [])
  const all = [...picked(ids, originIds), ...missing]
  return all.length === 0 ? [...picked(ids, [true]), 'gone'] : all
}

function selectionOf(
  selection: NonNullable<Draft['selection']>,
  draft: Draft,
  origin: Graph,
  names: Alphabet,
): readonly Selected[] {
  const label = names[draft.index]
  const ids = originIds(draft, origin, names)
  const where = { [draft.index === 'b' ? 'key' : 'id']: ids.length === 1 ? (ids[0] as string) : ids }
  return {
    label: [{ label }],
    where: [{ label, where }],
    'every label': [{ label: '*' }],
    'every label where': [{ label: '*', where }],
    two: [{ label, where }, { label: names.b }],
  }[selection]
}

function relationshipIds({ relationshipIds, isRelationshipMissing }: Draft, { relationships }: Graph): string[] {
  const ids = picked(
    relationships.flatMap(({ properties }) => properties.grn ?? []),
    relationshipIds,
  )
  return isRelationshipMissing || ids.length === 0 ? [...ids, 'gen-gone'] : ids
}

const searchOptions = ({ searchFilter, preventSearch }: NonNullable<Draft['search']>, names: Alphabet) => ({
  searchIdField: 'search',
  ...(searchFilter ? { searchFilter: names[searchFilter] } : {}),
  ...(preventSearch ? { preventSearch: preventSearch.map((label) => names[label]) } : {}),
})
