import { equalsOf, type Identity, idText, mergeText } from '../../packet/identity.ts'
import * as errors from '../errors/catalogue.ts'
import type { Origin } from '../origin/connect.ts'
import type { Properties } from '../origin/properties.ts'
import { findDuplicates, findDuplicatesApart } from './queries.ts'
import { hasUniqueness } from './schema.ts'

export type Uniqueness = ReturnType<typeof createUniqueness>

interface Unchecked {
  label: string
  idProperty: string
  values: Map<string, unknown>
  /** Equal values that a constraint allows together. */
  apart: Map<string, readonly unknown[]>
  /** The texts that stand for masked ids, by the texts of the ids; null if these ids are not masked. */
  masked: Map<string, string> | null
}

type OnDuplicate = (label: string, id: string | null, problem: string) => void

/** Checks that each identity belongs to only one node of the origin. Contract 4.2. */
export function createUniqueness(origin: Origin) {
  const proven = new Map<string, { label: string; idProperty: string; isGuaranteed: boolean }>()
  const keys = new WeakMap<Identity, string>()
  const duplicates = new Set<string>()
  // Most identities are of the same kind as the previous one.
  let last: { label: string; idProperty: string; key: string } | null = null
  const unchecked = new Map<string, Unchecked>()

  return {
    /** `properties`: the properties of the node. */
    add(identity: Identity, properties: Properties): void {
      const { label, idProperty } = identity
      if (last?.label !== label || last.idProperty !== idProperty) {
        last = { label, idProperty, key: `${label}\u0000${idProperty}` }
      }
      const { key } = last
      // The origin answers with its own values.
      const { unmasked } = properties
      const isMasked = unmasked !== properties
      const id = isMasked ? unmasked.rendered(unmasked.shape.indexOf(idProperty), 'plain') : identity.id
      const equals = equalsOf(id)
      if (proven.get(key)?.isGuaranteed && equals === null) return
      const text = mergeText(id)
      keys.set(identity, `${key}\u0000${text}`)
      const kind = unchecked.get(key) ?? { label, idProperty, values: new Map(), apart: new Map(), masked: null }
      unchecked.set(key, kind)
      if (isMasked) kind.masked = (kind.masked ?? new Map()).set(text, idText(identity.id))
      if (equals !== null) kind.apart.set(text, equals)
      else if (!kind.values.has(text)) kind.values.set(text, unmasked.value(idProperty))
    },
    isDuplicate: (identity: Identity): boolean => duplicates.size > 0 && duplicates.has(keys.get(identity) ?? ''),
    /**
     * Looks for duplicates among the identities added since the last check; `skip` receives each, and `isDuplicate`
     * reports them. @throws unpublishable (422), naming the first duplicate, if `skip` is null.
     */
    async check(skip: OnDuplicate | null): Promise<void> {
      for (const [key, { label, idProperty, values, apart, masked }] of unchecked) {
        const isGuaranteed = proven.get(key)?.isGuaranteed ?? (await hasUniqueness(origin, label, idProperty))
        proven.set(key, { label, idProperty, isGuaranteed })
        const shared = [
          ...(isGuaranteed || values.size === 0
            ? []
            : await findDuplicates(origin, label, idProperty, [...values.values()])),
          ...(apart.size > 0 ? await findDuplicatesApart(origin, label, idProperty, [...apart.values()].flat()) : []),
        ]
        for (const rendered of shared) {
          if (rendered) duplicates.add(`${key}\u0000${mergeText(rendered)}`)
          const id = rendered && (masked ? (masked.get(mergeText(rendered)) ?? null) : idText(rendered))
          const text = id === null ? 'a value' : `"${id}"`
          const problem = `more than one node with label "${label}" has ${text} as its id "${idProperty}"`
          if (skip === null) throw errors.unpublishable(problem)
          skip(label, id, problem)
        }
      }
      unchecked.clear()
    },
    /** The kinds of identities that were checked, and whether the origin guarantees that they are unique. */
    kinds: () => [...proven.values()],
  }
}
