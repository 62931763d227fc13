import { hash } from 'node:crypto'
import { defaultSyntax, type ParameterSyntax } from '../../packet/cypher/parameters.ts'
import type { Identity } from '../../packet/identity.ts'
import { isList, type Kind } from '../../packet/packstream/kinds.ts'
import { isPublishableIn } from '../../packet/values/expressions.ts'
import type { Numbers } from '../../packet/values/values.ts'
import type { Properties } from '../origin/properties.ts'

/** How a request's nodes get their identity: its `mappedIndices`, parsed once. */
export interface IdentityRule {
  idProperties: ReadonlyMap<string, string>
  /** null if `mappedIndices` names none, which only a selection may do. */
  defaultLabel: string | null
  /** `idProperties` as a parameter of queries. */
  byLabel: Readonly<Record<string, string>>
  numbers: Numbers
  syntax: ParameterSyntax
}

/** What determines the identity of a node. `properties` has at least `index` and the id properties of its labels. */
export interface NodeKeys {
  labels: readonly string[]
  properties: Properties
}

/** Keys of `mappedIndices` that are not labels. */
export const defaultKeys = ['DEFAULT_INDEX', 'DEFAULT_ID_FIELD']

/** The id property of a label in `mappedIndices`; the two DEFAULT_* keys are not labels. Contract 4.1. */
export function idPropertyOf(mappedIndices: Readonly<Record<string, string>>, label: string): string | undefined {
  return !defaultKeys.includes(label) && Object.hasOwn(mappedIndices, label) ? mappedIndices[label] : undefined
}

type MappedIndices = Readonly<Record<string, string>>

/** Caches what is read from each object: thousands of sub-requests may share the long `mappedIndices` of a model. */
export function onceForEach<Key extends object, T>(read: (key: Key) => T): (key: Key) => T {
  const known = new WeakMap<Key, { value: T }>()
  return (key) => {
    const entry = known.get(key) ?? { value: read(key) }
    known.set(key, entry)
    return entry.value
  }
}

/** A short text that identifies the content of `mappedIndices`. */
export const hashOfIndices = onceForEach((mappedIndices: MappedIndices): string =>
  hash('sha256', JSON.stringify(mappedIndices), 'base64'),
)

/** Every id property that `mappedIndices` names, including DEFAULT_ID_FIELD. */
export const idPropertiesOf = onceForEach(
  (mappedIndices: MappedIndices): ReadonlySet<string> =>
    new Set(Object.entries(mappedIndices).flatMap(([key, property]) => (key === 'DEFAULT_INDEX' ? [] : [property]))),
)

const labelsOf = onceForEach((mappedIndices: MappedIndices): Omit<IdentityRule, 'numbers' | 'syntax'> => {
  const { DEFAULT_INDEX, DEFAULT_ID_FIELD = '' } = mappedIndices
  const labels = Object.entries(mappedIndices).filter(([label]) => !defaultKeys.includes(label))
  const byDefault = DEFAULT_INDEX === undefined ? [] : [[DEFAULT_INDEX, DEFAULT_ID_FIELD] as const]
  const idProperties = new Map([...labels, ...byDefault])
  return { idProperties, defaultLabel: DEFAULT_INDEX ?? null, byLabel: Object.fromEntries(idProperties) }
})

export const identityRule = (
  mappedIndices: MappedIndices,
  numbers: Numbers = 'plain',
  syntax: ParameterSyntax = defaultSyntax,
): IdentityRule => ({ ...labelsOf(mappedIndices), numbers, syntax })

/**
 * Determines what identifies a node; no other function does. Contract 4.2; seed, Data set requirements, cases 1 to 3.
 * @returns the identity, or a description of why the node cannot be published.
 */
export function identityOf(rule: IdentityRule, node: NodeKeys): Identity | { problem: string } {
  const label = identityLabel(rule, node.labels, node.properties.unmasked.text('index'))
  if (label === null) return { problem: 'bears no label, or several, that mappedIndices names' }
  const idProperty = rule.idProperties.get(label) as string
  const { properties } = node
  const { shape } = properties
  const index = shape.indexOf(idProperty)
  if (index === -1) return { problem: `has no property "${idProperty}", the id of "${label}"` }
  const of = shape.kinds[index] as Kind
  if (properties.isNaN(index)) return { problem: `has NaN ${isList(of) ? 'in' : 'as'} its id "${idProperty}"` }
  if (!isPublishableIn(rule.syntax, of))
    return { problem: `has a ${properties.typeName(index)} as its id "${idProperty}"` }
  return { label, idProperty, id: properties.rendered(index, rule.numbers) }
}

/**
 * The identities that a node would have by others of its labels. A target has the node under them too, so a deletion by
 * one of them would find it.
 */
export function otherIdentitiesOf(rule: IdentityRule, { labels, properties }: NodeKeys, own: Identity): Identity[] {
  return labels.flatMap((label) => {
    const idProperty = rule.idProperties.get(label)
    if (idProperty === undefined || label === own.label) return []
    const index = properties.shape.indexOf(idProperty)
    const isUsable =
      index !== -1 && !properties.isNaN(index) && isPublishableIn(rule.syntax, properties.shape.kinds[index] as Kind)
    return isUsable ? [{ label, idProperty, id: properties.rendered(index, rule.numbers) }] : []
  })
}

/** The label by which a rule identifies a node with these labels and this text in `index`; null if there is none. */
export function identityLabel(
  { idProperties, defaultLabel }: IdentityRule,
  labels: readonly string[],
  index: string | null,
): string | null {
  if (index !== null && idProperties.has(index) && labels.includes(index)) return index
  if (defaultLabel !== null && labels.includes(defaultLabel)) return defaultLabel
  if (labels.length === 1) return idProperties.has(labels[0] as string) ? (labels[0] as string) : null
  const [only, another] = labels.filter((label) => idProperties.has(label))
  return only !== undefined && another === undefined ? only : null
}
