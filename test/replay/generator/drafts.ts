import fc from 'fast-check'
import { type Alphabet, missingIds, types } from './alphabet.ts'
import type { Request } from './requests.ts'

const sometimes = fc.integer({ min: 0, max: 3 }).map((number) => number === 3)
const often = fc.boolean()

/** Null except in one of `count` cases. */
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

/** Choices about how elements are written, which the sub-requests of a multi must often share. */
export interface Style {
  relationshipIdField: boolean
  protects: boolean
  deletes: boolean
  labels: number
  stamps: boolean
  postback: boolean
  skips: boolean
  isStrict: boolean
}

export const styles: fc.Arbitrary<Style> = fc.record({
  relationshipIdField: often,
  protects: often,
  deletes: often,
  labels: fc.nat(2),
  stamps: fc.constantFrom(false, false, true),
  postback: fc.constantFrom(false, false, true),
  skips: fc.constantFrom(false, true, true, true),
  isStrict: sometimes,
})

type Mode = 'nodes' | 'relationships' | 'both' | 'by id' | 'hard filter' | 'delete only'
const modes: Mode[] = [
  ...(['nodes', 'relationships', 'relationships', 'both', 'both', 'both', 'both'] as const),
  ...(['by id', 'by id', 'hard filter', 'delete only', 'delete only', 'delete only'] as const),
]

/** Selects list items: all, or those at positions of `true`, repeating the pattern for longer lists. */
const pick = fc.oneof(
  { weight: 1, arbitrary: fc.constant([true]) },
  { weight: 2, arbitrary: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) },
)
export interface Draft {
  mode: Mode
  index: 'a' | 'b' | 'c'
  originIds: readonly boolean[]
  /** Selects nodes by these in place of `originIds`. */
  selection: 'label' | 'where' | 'every label' | 'every label where' | 'two' | null
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
  selection: seldom(5, fc.constantFrom('label', 'where', 'every label', 'every label where', 'two')),
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

/** Changes that break a rule within a request or between sub-requests. */
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
