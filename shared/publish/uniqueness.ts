import { renderValue } from '../cypher/values.ts'
import * as errors from '../errors/catalogue.ts'
import type { Origin } from '../origin/connect.ts'
import { type Identity, idText } from './identity.ts'
import { findDuplicates, hasUniqueness } from './reads.ts'

/** Checks that each identity belongs to one node of the origin only. Contract 4.2. */
export interface Uniqueness {
  /** `value` is the id as the driver read it. */
  add(identity: Identity, value: unknown): void
  /** @throws unpublishable (422), naming the first duplicate among what was added since the last check. */
  check(): Promise<void>
}

export function createUniqueness(origin: Origin): Uniqueness {
  const proven = new Map<string, boolean>()
  const unchecked = new Map<string, { label: string; idProperty: string; values: Map<string, unknown> }>()

  async function isProven(key: string, label: string, idProperty: string): Promise<boolean> {
    const known = proven.get(key) ?? (await hasUniqueness(origin, label, idProperty))
    proven.set(key, known)
    return known
  }

  return {
    add({ label, idProperty, id }, value) {
      const key = `${label}\u0000${idProperty}`
      if (proven.get(key)) return
      const kind = unchecked.get(key) ?? { label, idProperty, values: new Map() }
      unchecked.set(key, kind)
      kind.values.set(id.json, value)
    },
    async check() {
      for (const [key, { label, idProperty, values }] of unchecked) {
        if (await isProven(key, label, idProperty)) continue
        for await (const id of findDuplicates(origin, label, idProperty, [...values.values()])) {
          const rendered = renderValue(id)
          const text = rendered === null ? 'a value' : `"${idText(rendered)}"`
          throw errors.unpublishable(`more than one node with label "${label}" has ${text} as its id "${idProperty}"`)
        }
      }
      unchecked.clear()
    },
  }
}
