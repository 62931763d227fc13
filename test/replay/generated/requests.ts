import fc from 'fast-check'
import { type Alphabet, missingIds, types } from './alphabet.ts'
import type { Graph } from './graph.ts'

/** What a request says beside where its origin is and where its packet goes. */
export interface Request {
  index?: string
  originIds?: readonly string[]
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
  mappedIndices: Readonly<Record<string, string>>
}

const sometimes = fc.integer({ min: 0, max: 3 }).map((number) => number === 3)
const often = fc.boolean()

/** Null but for one in `count`. */
export const seldom = <T>(count: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: count - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

const typeWithDirection = fc
  .tuple(fc.constantFrom(0, 0, 0, 1, 1, 2), fc.constantFrom('', '', '', '>', '<'))
  .map(([type, arrow]) => (arrow === '<' ? `<${types[type]}` : `${types[type]}${arrow}`))
const typeList = (maxLength: number) => fc.array(typeWithDirection, { minLength: 1, maxLength })
const distinctTypes = fc.uniqueArray(typeWithDirection, {
  minLength: 1,
  maxLength: 3,
  selector: (type) => type.replace(/[<>]/, ''),
})

/** The choices that sub-requests of one multi must often share: how elements are written. */
export interface Style {
  relationshipIdField: boolean
  protects: boolean
  deletes: boolean
  labels: number
  stamps: boolean
  postback: boolean
  skips: boolean
}

export const styles: fc.Arbitrary<Style> = fc.record({
  relationshipIdField: often,
  protects: often,
  deletes: often,
  labels: fc.nat(2),
  stamps: fc.constantFrom(false, false, true),
  postback: fc.constantFrom(false, false, true),
  skips: fc.constantFrom(false, true, true, true),
})

const dynamicLabels = ({ a, b, x, y, z }: Alphabet, choice: number) =>
  [undefined, { [a]: [x, y, z], [b]: [y] }, { [x]: [y], [y]: [x, a] }][choice]

type Mode = 'nodes' | 'relationships' | 'both' | 'by id' | 'hard filter' | 'delete only'
const modes: Mode[] = [
  ...(['nodes', 'relationships', 'relationships', 'both', 'both', 'both', 'both'] as const),
  ...(['by id', 'by id', 'hard filter', 'delete only', 'delete only', 'delete only'] as const),
]

/** Which of a list: all, or those at the positions of `true`, starting again where there are more. */
const pick = fc.oneof(
  { weight: 1, arbitrary: fc.constant([true]) },
  { weight: 2, arbitrary: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) },
)
const picked = (values: readonly unknown[], pick: readonly boolean[]): string[] => [
  ...new Set(values.filter((_, index) => pick[index % pick.length]).map((value) => `${value}`)),
]

export interface Draft {
  mode: Mode
  index: 'a' | 'b' | 'c'
  originIds: readonly boolean[]
  missing: readonly string[]
  relationshipIds: readonly boolean[]
  isRelationshipMissing: boolean
  toLayer: readonly string[] | null
  relationships: readonly string[]
  withOrigins: boolean
  withMetadata: boolean
  preventCleanup: boolean
  deleteById: boolean
  targetFilter: 'x' | 'a' | 'b' | null
  search: { searchFilter?: 'a' | 'x'; preventSearch?: readonly ('b' | 'y')[] } | null
}

export const drafts: fc.Arbitrary<Draft> = fc.record({
  mode: fc.constantFrom(...modes),
  index: fc.constantFrom<('a' | 'b' | 'c')[]>('a', 'a', 'a', 'b', 'c'),
  originIds: pick,
  missing: fc.oneof(fc.constant([]), fc.subarray([...missingIds], { maxLength: 2 })),
  relationshipIds: pick,
  isRelationshipMissing: sometimes,
  toLayer: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: typeList(3) }),
  relationships: distinctTypes,
  withOrigins: often,
  withMetadata: often,
  preventCleanup: sometimes,
  deleteById: often,
  targetFilter: seldom(4, fc.constantFrom<('x' | 'a' | 'b')[]>('x', 'a', 'b')),
  search: seldom(
    2,
    fc.record({
      searchFilter: fc.option(fc.constantFrom<('a' | 'x')[]>('a', 'x'), { nil: undefined }),
      preventSearch: fc.option(fc.constantFrom<('b' | 'y')[][]>(['y'], ['b', 'y']), { nil: undefined }),
    }),
  ),
})

/** A request that keeps the rules between fields; what it asks of the origin may still be refused. */
export function buildRequest(draft: Draft, style: Style, origin: Graph, names: Alphabet): Request {
  const { mode } = draft
  const byIds = mode === 'by id' || mode === 'hard filter'
  const deletes = mode === 'delete only'
  const hasNodes = mode === 'nodes' || mode === 'both' || (draft.withMetadata && byIds)
  const hasRelationships = mode !== 'nodes'
  const hasIdField = hasRelationships && (byIds || style.relationshipIdField)
  const stamps = hasRelationships && style.stamps
  const hasOrigins = mode === 'hard filter' || !byIds || draft.withOrigins
  const labels = dynamicLabels(names, style.labels)
  return {
    ...(hasOrigins ? { originIds: originIds(draft, origin, names) } : {}),
    ...(hasOrigins && draft.index !== 'a' ? { index: names[draft.index] } : {}),
    ...(byIds ? { relationshipIds: relationshipIds(draft, origin), preventCleanup: true } : {}),
    ...(mode === 'hard filter' ? { hardFilterRelationships: true } : {}),
    ...(!byIds && draft.toLayer ? { toLayer: draft.toLayer } : {}),
    ...(!byIds && hasRelationships ? { relationships: draft.relationships } : {}),
    ...(!byIds && !deletes && draft.preventCleanup ? { preventCleanup: true } : {}),
    ...(deletes ? { relationshipDeleteOnly: true } : {}),
    ...(hasIdField ? { relationshipIdField: 'grn' } : {}),
    ...(hasIdField && !byIds && draft.deleteById ? { deleteRelationshipById: true } : {}),
    ...(hasNodes ? { metadata: true } : {}),
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

/** Changes that break a rule of the request, or one between sub-requests. */
export const spoilers = ({ b }: Alphabet): fc.Arbitrary<Partial<Request>> =>
  fc.constantFrom<Partial<Request>[]>(
    { toLayer: ['GEN_T'], relationshipIds: ['gen-gone'] },
    { preventCleanup: true, relationshipDeleteOnly: true },
    { relationshipIds: ['gen-gone'], preventCleanup: false },
    { timestampRelationships: true, timestampProperty: undefined },
    { deleteRelationshipById: true, relationshipIdField: undefined },
    { hardFilterRelationships: true, originIds: [] },
    { deleteProperties: ['key'] },
    { deleteProperties: ['secret'], protectedNodeProperties: ['secret'] },
    { protectedNodeProperties: ['id'] },
    { searchIdField: undefined, searchFilter: b },
    { index: 'GenNone' },
    { metadata: false, relationships: [] },
    { postbackTimestamp: true, timestampProperty: 'stamp', protectedNodeProperties: ['stamp'] },
    { relationshipIdField: 'mine', protectedRelationshipProperties: ['mine'] },
    { originIds: [], relationshipIds: [] },
  )
