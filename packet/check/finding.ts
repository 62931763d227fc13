import { type IdentifiedNode, idIn, type NodeKey } from '../kinds/statement.ts'
import { areSame, shownId, shownValue } from './shown-value.ts'

/** How a target can differ from what a packet says. */
export const differenceKinds = [
  'missingNode',
  'duplicateNode',
  'undeletedNode',
  'undeletedRelationship',
  'labelDiffers',
  'propertyDiffers',
  'extraProperty',
  'missingRelationship',
  'staleRelationship',
  'invalidPair',
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/** One difference between a pair and the target. */
export interface Finding {
  kind: DifferenceKind
  /** `:Person(id=p1).age: packet 41 (integer), target 41.0 (float)` */
  text: string
}

export type Properties = Readonly<Record<string, unknown>>

/** `:Person(id=p1)`, or `(:Person(id=p1) -KNOWS-> :Person(id=p2))` for the ends of a relationship. */
export function subjectText(
  identities: readonly IdentifiedNode[],
  parameters: Properties,
  type: string | null = null,
): string {
  const nodes = identities.map((node) => nodeText(node, idIn(node, parameters)))
  return nodes.length === 1 ? (nodes[0] as string) : `(${nodes.join(` -${type}-> `)})`
}

export const nodeText = ({ label, idProperty }: NodeKey, id: unknown): string =>
  `:${label}(${idProperty}=${shownId(id)})`

/** Compares the properties of one node or relationship, without protected keys: the target keeps their values. */
export function propertyFindings(
  subject: string,
  actual: Properties,
  expected: Properties,
  equal: Readonly<Record<string, boolean>>,
  protectedKeys: readonly string[],
): Finding[] {
  const findings: Finding[] = []
  const kept = new Set(protectedKeys)
  const own = (of: Properties, key: string) => (Object.hasOwn(of, key) ? of[key] : undefined)
  for (const [key, value] of Object.entries(expected)) {
    const found = own(actual, key)
    // A property that is set to null is removed.
    if (value === null && found === undefined) continue
    if (areSame(value, found, own(equal, key) as boolean | undefined)) continue
    const text = `${subject}.${key}: packet ${shownValue(value)}, target ${shownValue(found)}`
    findings.push({ kind: 'propertyDiffers', text })
  }
  for (const [key, value] of Object.entries(actual)) {
    if (Object.hasOwn(expected, key) || kept.has(key)) continue
    findings.push({ kind: 'extraProperty', text: `${subject}.${key}: packet none, target ${shownValue(value)}` })
  }
  return findings
}
