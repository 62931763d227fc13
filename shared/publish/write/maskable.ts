import * as errors from '../../errors/catalogue.ts'
import type { Origin } from '../../origin/connect.ts'
import { readConstrained } from '../../read/schema.ts'
import { unknownNames } from '../../read/selection.ts'
import type { Masking } from '../../request/mask/masking.ts'
import { shown } from '../../validation/issues.ts'

/** Checks the rules of `mask` and `only` against an origin, before anything of it is read. */
export type MaskCheck = (origin: Origin, pathOf: (field: string) => string) => Promise<void>

/**
 * Refuses rules that the origin shows to be mistakes: a name or property that it does not know would leave values in
 * clear, and a target with the origin's constraints would refuse nodes without a unique property. Contract 4.24.
 * @param isBound whether the publish is bound to a model
 */
export function createMaskCheck(masking: Masking | null, isBound: boolean): MaskCheck {
  const checked = new WeakSet<Origin>()
  return async (origin, pathOf) => {
    if (masking === null || checked.has(origin)) return
    checked.add(origin)
    const { rules } = masking
    const names = [...rules.keys()]
    // A model has checked the names, and wants rules for node types that the origin may not have.
    const labels = isBound ? new Set<string>() : await unknownNames(origin, 'label', names)
    const neither = await unknownNames(origin, 'relationshipType', [...labels])
    const masked = isBound ? [] : [...rules.values()].flatMap(({ actions }) => [...actions.keys()])
    const keys = await unknownNames(origin, 'propertyKey', [...new Set(masked)])
    const constrained = await readConstrained(origin)
    for (const [name, { actions, only }] of rules) {
      const field = only === null ? 'mask' : 'only'
      if (neither.has(name)) {
        const problem = `the origin has neither a label nor a relationship type "${shown(name)}"`
        throw errors.unmaskable(pathOf(`${actions.size > 0 ? 'mask' : field}.${shown(name)}`), problem)
      }
      for (const [key, action] of actions) {
        const path = pathOf(`mask.${shown(name)}.${shown(key)}`)
        if (keys.has(key)) throw errors.unmaskable(path, `the origin has no property "${shown(key)}"`)
        if (action === 'hash' || !constrained?.get(name)?.has(key)) continue
        const message = `must not be "${action}": a constraint of the origin makes "${shown(key)}" of "${shown(name)}" unique`
        throw errors.invalidRequest([{ path, message }])
      }
    }
  }
}
