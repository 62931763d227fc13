import { byCodePoint, quote } from '../cypher/identifiers.ts'
import { param, parameterNames, type Template, template } from '../cypher/parameters.ts'
import { expression, type Rendered } from '../values/values.ts'

/** The expression that a value needs in the text; the value itself is a parameter. */
export type Expression = Pick<Rendered, 'wrap' | 'list'>

/** A kind of node that is found by an indexed property. */
export interface NodeKey {
  label: string
  idProperty: string
}

/** How a statement finds a node. */
export interface Anchor extends NodeKey {
  id: Expression
}

/**
 * A node that a statement finds by identity; `parameter` holds its id, or a list of ids, or a list of rows, in which `at`
 * is the position of the id.
 */
export interface IdentifiedNode extends Anchor {
  parameter: string
  at?: number
}

/** The id by which a pair names a node, or a list of ids. */
export function idIn({ parameter, at }: IdentifiedNode, parameters: Readonly<Record<string, unknown>>): unknown {
  const value = parameters[parameter]
  return at === undefined || !Array.isArray(value) ? value : value.map((row) => (Array.isArray(row) ? row[at] : null))
}

/** How a statement finds both ends of a relationship, and its type. */
export interface RelationshipEnds {
  start: Anchor
  type: string
  end: Anchor
}

export const identifiedEnds = ({ start, end }: RelationshipEnds, startId: string, endId: string): IdentifiedNode[] => [
  { ...start, parameter: startId },
  { ...end, parameter: endId },
]

export interface Field {
  key: string
  value: Expression
}

/** A parameter, and where each pair takes its value from. */
export interface Binding<Source> {
  name: string
  source: Source
}

/** The value of the property with this key. */
export interface PropertySource {
  property: string
}

/** The kinds of statements in packets. */
export const statementKinds = [
  'nodeUpsert',
  'relationshipUpsert',
  'relationshipCreate',
  'cleanup',
  'deleteProperties',
  'nodeDelete',
  'relationshipDelete',
  'postback',
] as const
export type StatementKind = (typeof statementKinds)[number]

/** How many statements there are of each kind. */
export type StatementCounts = Partial<Record<StatementKind, number>>

/** What a statement does, and to which kind of elements: its kind, and names without values. */
export interface Topic {
  kind: StatementKind
  /** The label of the node, or of the start of the relationship. */
  label: string
  /** The type of the relationships. */
  type?: string
  /** The label of the end of the relationship. */
  to?: string
}

export const relationshipTopic = (kind: StatementKind, { start, type, end }: RelationshipEnds): Topic => ({
  kind,
  label: start.label,
  type,
  to: end.label,
})

/** A statement's text, and its parameters in the order in which pairs list them. */
export interface Statement<Source> {
  topic: Topic
  text: Template
  bindings: readonly Binding<Source>[]
}

/** A field and the name of its parameter. */
export interface NamedField extends Field {
  name: string
}

/** Names a parameter for each field. `taken` are names that the statement uses otherwise. */
export function named(fields: readonly Field[], taken: readonly string[] = []): NamedField[] {
  const names = parameterNames(
    fields.map(({ key }) => key),
    taken,
  )
  return fields.map(({ key, value }, index) => ({ key, value, name: names[index] as string }))
}

export const propertyBindings = (fields: readonly NamedField[]): Binding<PropertySource>[] =>
  fields.map(({ key, name }) => ({ name, source: { property: key } }))

/** ``(n:`Person` {`id`: {id}})`` */
export const anchorPattern = (variable: string, node: Anchor, name: string): Template =>
  nodePattern(variable, node, expression(node.id, param(name)))

/** The same with any expression in place of the parameter. */
export const nodePattern = (variable: string, { label, idProperty }: NodeKey, id: Template): Template =>
  template`(${variable}:${quote(label)} {${quote(idProperty)}: ${id}})`

/** ``{`id`: {id}, `name`: {name}, `secret`: n.`secret`}``: published values, and the target's for protected keys. */
export function propertyMap(
  variable: string,
  fields: readonly NamedField[],
  protectedKeys: readonly string[],
): Template {
  const published = fields.map(({ key, value, name }): [string, Template] => [key, expression(value, param(name))])
  const kept = protectedKeys.map((key): [string, Template] => [key, [`${variable}.${quote(key)}`]])
  const entries = [...published, ...kept].sort(([a], [b]) => byCodePoint(a, b))
  return [
    '{',
    ...entries.flatMap(([key, value], index) => [`${index === 0 ? '' : ', '}${quote(key)}: `, ...value]),
    '}',
  ]
}
