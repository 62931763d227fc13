import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Origin } from '../../origin/connect.ts'
import { readUniqueness } from '../../read/schema.ts'
import { countSelected } from '../../read/selection.ts'
import { defaultKeys } from '../../request/identity.ts'
import { everyLabel, literal, type SelectElement } from '../../request/select.ts'
import { shown } from '../../validation/issues.ts'

/**
 * Makes `mappedIndices` of the uniqueness and key constraints of the origin: the label and the property of each that has
 * one property. Contract 4.22.
 * @throws unselectable (422) if a selected label has no such constraint, or several; with `*` only if it has nodes
 */
export async function indicesByConstraints(
  origin: Origin,
  select: readonly SelectElement[],
  pathOf: (field: string) => string,
): Promise<Record<string, string>> {
  const known = await readUniqueness(origin)
  const path = (at: number) => pathOf(`select[${at}].label`)
  if (known === null) throw errors.unselectable(path(0), 'the origin does not tell its constraints; give mappedIndices')
  const usable = [...known].flatMap(([label, properties]) => {
    const quotable = [...properties].filter((property) => isQuotable(property))
    return isQuotable(label) && !defaultKeys.includes(label) && quotable.length > 0 ? [{ label, quotable }] : []
  })
  for (const [at, { label }] of select.entries()) {
    const names = label === everyLabel ? usable.map((one) => one.label) : [literal(label)]
    for (const name of names) {
      const [first, second] = usable.find((one) => one.label === name)?.quotable.sort() ?? []
      if (first === undefined) {
        const problem = `no constraint of the origin makes one property of "${shown(name)}" unique; give mappedIndices`
        throw errors.unselectable(path(at), problem)
      }
      if (second === undefined) continue
      const all = { labels: [name], where: [] }
      if (label === everyLabel && (await countSelected(origin, name, all)) === 0) continue
      const two = `"${shown(first)}" and "${shown(second)}"`
      throw errors.unselectable(path(at), `two properties of "${shown(name)}" are unique, ${two}; give mappedIndices`)
    }
  }
  // The selected labels come first, because reports show the first ones only.
  const selected = new Set(select.map(({ label }) => literal(label)))
  const single = usable
    .filter(({ quotable }) => quotable.length === 1)
    .sort((one, other) => Number(selected.has(other.label)) - Number(selected.has(one.label)))
  return Object.fromEntries(single.map(({ label, quotable: [property] }) => [label, property as string]))
}
