import type { Identity } from '../../../packet/identity.ts'
import { identitiesOf, keptEndsOf, listIn, type Structure, typeBetween } from '../../../packet/kinds/kinds.ts'
import { type IdentifiedNode, idIn } from '../../../packet/kinds/statement.ts'
import { ReplayError } from '../errors.ts'
import { createTextSet, type TextSet } from '../hash-set.ts'
import type { Item } from '../order/batches.ts'
import type { Uniqueness } from '../preflight/constraints.ts'
import { createNeeds } from '../preflight/needs.ts'
import type { LoadSettings, PacketSource } from '../source/load-part.ts'
import { windowsOf } from '../source/windows.ts'
import { endsText, identityBy, identityText } from './elements.ts'

/** What must be known of the whole packet before any of its elements is read at the target. */
export interface Facts {
  /** How pairs find nodes, and how they name the far ends that they keep. The target has a constraint for each. */
  rules: readonly Uniqueness[]
  /** Other identities of the request that made the packet. They count if the target has a constraint for them. */
  mapped: readonly Uniqueness[]
  /** The texts of all identities that pairs name, and of all ends between which they set relationships. */
  named: TextSet
  /** The property by which pairs distinguish parallel relationships of a type; null if they do not. */
  idFields: ReadonlyMap<string, string | null>
  /** The labels that node upserts add, by the label of the identity. */
  added: ReadonlyMap<string, ReadonlySet<string>>
}

/** The parts of a packet, one at a time; while one is in use, the next one is read. */
export const eachPart = (source: PacketSource, settings: LoadSettings) =>
  windowsOf(source, [...source.parts.keys()], { ...settings, windowBytes: 1 })

/** Reads the whole packet. @throws ReplayError `refused` if its statements find one type by different ids. */
export async function readFacts(source: PacketSource, settings: LoadSettings): Promise<Facts> {
  const needs = createNeeds((it) => [...identitiesOf(it), ...keptEndsOf(it)])
  const named = createTextSet()
  const idFields = new Map<string, string | null>()
  const added = new Map<string, Set<string>>()
  const seen = new WeakSet<object>()
  const mapped = new Map<string, Uniqueness>()
  const ruleText = ({ label, property }: Uniqueness) => JSON.stringify([label, property])

  function addStructure(it: Structure): void {
    const idField = idFieldOf(it)
    if (idField !== null) {
      const [type, key] = idField
      const known = idFields.get(type)
      if (known !== undefined && known !== key) {
        throw new ReplayError(
          'refused',
          `pairs find relationships of the type ${type} by different ids: no undo is made`,
        )
      }
      idFields.set(type, key)
    }
    if (it.kind !== 'nodeUpsert') return
    const labels = added.get(it.node.label) ?? new Set()
    for (const label of it.changes.added) labels.add(label)
    added.set(it.node.label, labels)
  }

  for (const one of source.mapped ?? []) mapped.set(ruleText(one), one)
  for await (const [part] of eachPart(source, settings)) {
    const items = part?.items ?? []
    for (const one of part?.mapped ?? []) mapped.set(ruleText(one), one)
    needs.add(items)
    for (const item of items) {
      const identities = spares(item.recognised) ? [] : namedBy(item).map(({ identity }) => identity)
      for (const identity of [...identities, ...keptBy(item)]) named.add(identityText(identity))
      const type = typeSet(item.recognised)
      const [start, end] = identities
      if (type !== null && start && end) named.add(endsText({ start, type, end }))
      if (seen.has(item.recognised)) continue
      seen.add(item.recognised)
      addStructure(item.recognised)
    }
  }
  const rules = needs.all()
  for (const rule of rules) mapped.delete(ruleText(rule))
  return { rules, mapped: [...mapped.values()], named, idFields, added }
}

/** A node that a pair names. */
export interface NamedNode {
  node: IdentifiedNode
  /** Its id, as it stands in the pair. */
  value: unknown
  identity: Identity
}

/** The nodes that a pair names; for one relationship, the start comes first. */
export const namedBy = ({ recognised, parameters }: Pick<Item, 'recognised' | 'parameters'>): NamedNode[] =>
  recognised.identities.flatMap((node) => {
    const value = idIn(node, parameters)
    const values = listIn(recognised, parameters) === null ? [value] : (value as unknown[])
    return values.map((one) => ({ node, value: one, identity: identityBy(node, one) }))
  })

/** The type of the relationship that a pair sets between two ends; null for other pairs. */
export const typeSet = (it: Structure): string | null => (it.kind === 'relationshipDelete' ? null : typeBetween(it))

/** Whether a pair may leave a node alone that it names: the packet names that node by another identity, too. */
const spares = (it: Structure): boolean => it.kind === 'nodeDelete' && it.except.length > 0

/** The identities in the keep-lists of a pair. */
const keptBy = ({ recognised, parameters }: Item): Identity[] =>
  keptEndsOf(recognised).flatMap((node) => {
    const kept = parameters[node.parameter]
    const ids = Array.isArray(kept) && node.isPaired ? kept.map((pair) => pair?.[0]) : kept
    return Array.isArray(ids) ? ids.map((id) => identityBy(node, id)) : []
  })

/** The type whose relationships a statement finds, and the property that it finds them by; null if neither is fixed. */
function idFieldOf(it: Structure): [type: string, idField: string | null] | null {
  if (it.kind === 'relationshipUpsert') return [it.ends.type, it.idField]
  if (it.kind === 'relationshipDelete' || (it.kind === 'postback' && it.of === 'relationship'))
    return [it.ends.type, it.id?.key ?? null]
  if (it.kind !== 'cleanup') return null
  const byId = it.clauses.find((clause) => clause.by !== 'farEnd')
  return byId === undefined ? null : [it.type.type, byId.field]
}
