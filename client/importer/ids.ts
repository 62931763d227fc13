import { hash } from 'node:crypto'
import { mergeText } from '../../packet/identity.ts'
import type { Anchor, RelationshipEnds } from '../../packet/kinds/statement.ts'
import { identityBy } from '../replay/undo/elements.ts'
import { NotCarried } from './not-carried.ts'
import { quoted } from './values.ts'

/** Longer ids are written as their digests: the importer holds every id in memory. */
const longestId = 60

/** Makes the ids by which the files refer to nodes; no property has them. Equal identities have equal ids. */
export function createIds() {
  const rules = new Map<string, number>()
  const numbers = new WeakMap<Anchor, number>()
  const idFields = new Map<string, string | null>()

  /** The number of a label and an id property, in their order in the packet. */
  function numberOf(anchor: Anchor): number {
    const known = numbers.get(anchor)
    if (known !== undefined) return known
    const rule = JSON.stringify([anchor.label, anchor.idProperty])
    const number = rules.get(rule) ?? rules.size
    rules.set(rule, number)
    numbers.set(anchor, number)
    return number
  }

  return {
    /** The id of a node as a cell. @throws NotCarried for an id that no node can have */
    cellOf(anchor: Anchor, value: unknown): string {
      if (value === null || value === undefined || Number.isNaN(value)) throw new NotCarried('no id')
      // The text of another value never begins with a quote.
      const isText = typeof value === 'string' && anchor.id.wrap === null
      const text = isText ? `'${value}` : `=${mergeText(identityBy({ ...anchor, parameter: '' }, value).id)}`
      const number = numberOf(anchor)
      return text.length <= longestId ? quoted(`${number}${text}`) : `"${number}#${hash('sha256', text, 'base64url')}"`
    },

    /** @throws NotCarried if pairs find relationships between alike nodes by different properties: their order matters */
    requireSameIdField({ start, type, end }: RelationshipEnds, idField: string | null): void {
      const between = `${numberOf(start)} ${numberOf(end)} ${type}`
      const known = idFields.get(between)
      if (known === undefined) idFields.set(between, idField)
      else if (known !== idField) throw new NotCarried('pairs that find its relationships by different ids')
    },
  }
}
