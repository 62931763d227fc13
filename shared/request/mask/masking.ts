import { hash } from 'node:crypto'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { onceForEach } from '../identity.ts'
import type { MaskAction } from './fields.ts'

/** The rules for elements with one label, or of one relationship type. */
export interface MaskRules {
  actions: ReadonlyMap<string, MaskAction>
  /** The only properties that are published; null: all. */
  only: ReadonlySet<string> | null
}

/** What `mask` and `only` of a request say. */
export interface Masking {
  /** By label or relationship type. */
  rules: ReadonlyMap<string, MaskRules>
  /** Whether a property is replaced by a keyed hash. */
  hashes: boolean
}

export type Masks = Readonly<Record<string, Readonly<Record<string, MaskAction>>>>
export type Onlys = Readonly<Record<string, readonly string[]>>

const nothing = {}

/** Reads the rules of a request; null if it has none. Equal objects give the same rules: thousands may share them. */
export const maskingOf = ({ mask = nothing, only = nothing }: { mask?: Masks; only?: Onlys }): Masking | null =>
  rulesOf(mask)(only)

const rulesOf = onceForEach((mask: Masks) =>
  onceForEach((only: Onlys): Masking | null => {
    const names = new Set([...Object.keys(mask), ...Object.keys(only)])
    if (names.size === 0) return null
    const own = <T>(of: Readonly<Record<string, T>>, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined)
    const rules = new Map(
      [...names].map((name): [string, MaskRules] => {
        const listed = own(only, name)
        return [
          name,
          { actions: new Map(Object.entries(own(mask, name) ?? {})), only: listed ? new Set(listed) : null },
        ]
      }),
    )
    const hashes = [...rules.values()].some(({ actions }) => [...actions.values()].includes('hash'))
    return { rules, hashes }
  }),
)

/** Equal texts for rules with equal meaning. */
export const maskText = onceForEach((mask: Masks): string =>
  JSON.stringify(sorted(Object.entries(mask).map(([name, actions]) => [name, sorted(Object.entries(actions))]))),
)
export const onlyText = onceForEach((only: Onlys): string =>
  JSON.stringify(sorted(Object.entries(only).map(([name, keys]) => [name, [...new Set(keys)].sort(byCodePoint)]))),
)

/** A digest of the rules of a request, equal for rules with equal meaning. */
export const rulesDigest = ({ mask = nothing, only = nothing }: { mask?: Masks; only?: Onlys }): string =>
  hash('sha256', `${maskText(mask)} ${onlyText(only)}`, 'hex')

const sorted = <T extends readonly [string, unknown] | [string, unknown] | unknown[]>(entries: T[]): T[] =>
  entries.sort((a, b) => byCodePoint(String(a[0]), String(b[0])))
