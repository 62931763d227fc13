import { type Numbers, type Rendered, renderValue, typeName, type Wrap } from '../../cypher/values.ts'

/** What `MERGE` finds a node by. Contract 1. */
export interface Identity {
  label: string
  idProperty: string
  id: Rendered
}

/** How a request's nodes get their identity: its `mappedIndices`, parsed once. */
export interface IdentityRule {
  idProperties: ReadonlyMap<string, string>
  defaultLabel: string
  /** Every id property, once: the columns to read. */
  columns: readonly string[]
  numbers: Numbers
}

/** What is read of a node to find its identity; `ids` has a value (or null) for each of the rule's columns. */
export interface NodeKeys {
  labels: readonly string[]
  index: unknown
  ids: readonly unknown[]
}

/** Keys of `mappedIndices` that are no labels. */
export const defaultKeys = ['DEFAULT_INDEX', 'DEFAULT_ID_FIELD']

/** The id property of a label in `mappedIndices`; the two DEFAULT_* keys are not labels. Contract 4.1. */
export function idPropertyOf(mappedIndices: Readonly<Record<string, string>>, label: string): string | undefined {
  return !defaultKeys.includes(label) && Object.hasOwn(mappedIndices, label) ? mappedIndices[label] : undefined
}

type MappedIndices = Readonly<Record<string, string>>

/** Remembers what is read from each object: sub-requests by the thousand may share the long one of a model. */
function onceForEach<T>(read: (mappedIndices: MappedIndices) => T): (mappedIndices: MappedIndices) => T {
  const known = new WeakMap<MappedIndices, { value: T }>()
  return (mappedIndices) => {
    const entry = known.get(mappedIndices) ?? { value: read(mappedIndices) }
    known.set(mappedIndices, entry)
    return entry.value
  }
}

/** Every id property that `mappedIndices` names, including that of DEFAULT_INDEX. */
export const idPropertiesOf = onceForEach(
  (mappedIndices): ReadonlySet<string> =>
    new Set(Object.entries(mappedIndices).flatMap(([key, property]) => (key === 'DEFAULT_INDEX' ? [] : [property]))),
)

const labelsOf = onceForEach((mappedIndices): Omit<IdentityRule, 'numbers'> => {
  const { DEFAULT_INDEX = '', DEFAULT_ID_FIELD = '' } = mappedIndices
  const labels = Object.entries(mappedIndices).filter(([label]) => !defaultKeys.includes(label))
  const idProperties = new Map([...labels, [DEFAULT_INDEX, DEFAULT_ID_FIELD] as const])
  return { idProperties, defaultLabel: DEFAULT_INDEX, columns: [...new Set(idProperties.values())] }
})

export const identityRule = (mappedIndices: MappedIndices, numbers: Numbers = 'plain'): IdentityRule => ({
  ...labelsOf(mappedIndices),
  numbers,
})

/**
 * Determines what identifies a node; no other function does. Contract 4.2; seed, Data set requirements, cases 1 to 3.
 * @returns the identity, or a description of why the node cannot be published.
 */
export function identityOf(rule: IdentityRule, node: NodeKeys): Identity | { problem: string } {
  const label = identityLabel(rule, node)
  if (label === null) return { problem: 'bears no label, or several, that mappedIndices names' }
  const idProperty = rule.idProperties.get(label) as string
  const value = node.ids[rule.columns.indexOf(idProperty)]
  if (value === null || value === undefined) return { problem: `has no property "${idProperty}", the id of "${label}"` }
  if (equalsNothing(value)) return { problem: `has NaN ${Array.isArray(value) ? 'in' : 'as'} its id "${idProperty}"` }
  const id = renderValue(value, rule.numbers)
  if (id === null) return { problem: `has a ${typeName(value)} as its id "${idProperty}"` }
  return { label, idProperty, id }
}

/** NaN, or a list that contains it: `MERGE` would never find it again, and create another node at each replay. */
export const equalsNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(Number.isNaN) : Number.isNaN(value)

/** Whether two identities need the same statement text. */
export const isAlike = (a: Identity, b: Identity): boolean =>
  a.label === b.label && a.idProperty === b.idProperty && a.id.wrap === b.id.wrap && a.id.list === b.id.list

/** The label by which a rule identifies a node; null if there is none. */
export function identityLabel(
  { idProperties, defaultLabel }: IdentityRule,
  { labels, index }: NodeKeys,
): string | null {
  if (typeof index === 'string' && idProperties.has(index) && labels.includes(index)) return index
  if (labels.includes(defaultLabel)) return defaultLabel
  if (labels.length === 1) return idProperties.has(labels[0] as string) ? (labels[0] as string) : null
  const [only, another] = labels.filter((label) => idProperties.has(label))
  return only !== undefined && another === undefined ? only : null
}

/** An id as text, for people and for `qa`: a string itself, anything else as its JSON. */
export function idText({ json }: Rendered): string {
  if (!json.startsWith('"')) return json
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1)
}

/** Names a node in an error. */
export const nameOf = ({ label, idProperty, id }: Identity): string =>
  `the "${label}" with "${idProperty}" "${idText(id)}"`

/** An id as a request names it: a string itself, `5` for 5 and 5.0; null if no request can name it. Contract 4.3. */
export const requestText = (id: Rendered): string | null =>
  id.json.startsWith('"') && id.wrap === null ? idText(id) : id.list || id.json.startsWith('[') ? null : numberText(id)

/**
 * One text for ids that `MERGE` treats as equal, such as 5 and 5.0, [5] and [5.0], or a point with `numbers` plain and
 * strict; another for '5'. Only lists of times or datetimes given by their fields differ from the same as text.
 */
export const mergeText = (id: Rendered): string =>
  numberText(id) ?? (id.wrap === null ? id.json : (fieldsText(id) ?? `${id.wrap} ${id.json}`))

const givenByFields: Partial<Record<Wrap, Wrap>> = {
  pointByFields: 'point',
  pointInSpaceByFields: 'point',
  durationByFields: 'duration',
  timeByFields: 'time',
  datetimeByFields: 'datetime',
}

/** The text with `numbers` plain of what is given by its fields; null for anything else. */
function fieldsText({ json, wrap }: Rendered): string | null {
  const plain = wrap && givenByFields[wrap]
  return plain ? `${plain} ${json.replace(/"(-?\d+)"/g, '$1')}` : null
}

/** Text of a number or list of numbers, the same for equal integers of either type; null for anything else. */
function numberText({ json, wrap }: Rendered): string | null {
  const isNumeric = wrap === 'toInteger' || wrap === 'toFloat' || (wrap === null && /^\[?-?\d/.test(json))
  if (!isNumeric) return null
  const text = json.replaceAll('"', '')
  return text.startsWith('[') ? `[${text.slice(1, -1).split(',').map(plainNumber).join(',')}]` : plainNumber(text)
}

const plainNumber = (text: string): string =>
  /[.eE]/.test(text) && Number.isInteger(Number(text)) ? String(BigInt(Number(text))) : text

/** `mergeText` of an id as the driver read it, independent of syntax and strictness. */
export function idKey(value: unknown): string {
  const rendered = renderValue(value)
  return rendered === null ? '' : mergeText(rendered)
}
