import { byCodePoint, quote } from '../../../cypher/identifiers.ts'
import { type Param, param, type Template, template } from '../../../cypher/parameters.ts'
import { expression, type Rendered } from '../../../cypher/values.ts'

/** The expression that a value needs in the text; the value itself is a parameter. */
export type Expression = Pick<Rendered, 'wrap' | 'list'>

/** How a statement finds a node. */
export interface Anchor {
  label: string
  idProperty: string
  id: Expression
}

export interface Field {
  key: string
  value: Expression
}

/** A statement's text, and its parameters' names in the order of the values; null if the value was already given. */
export interface Statement {
  text: Template
  names: readonly (string | null)[]
}

/** ``(n:`Person` {`id`: {id}})`` */
export function anchorPattern(variable: string, { label, idProperty, id }: Anchor, name: string): Template {
  return template`(${variable}:${quote(label)} {${quote(idProperty)}: ${expression(id, param(name))}})`
}

/** ``{`id`: {id}, `name`: {name}, `secret`: n.`secret`}``: published values, and the target's for protected keys. */
export function propertyMap(
  variable: string,
  fields: readonly Field[],
  names: readonly Param[],
  protectedKeys: readonly string[],
): Template {
  const published = fields.map(({ key, value }, index): [string, Template] => [
    key,
    expression(value, names[index] as Param),
  ])
  const kept = protectedKeys.map((key): [string, Template] => [key, [`${variable}.${quote(key)}`]])
  const entries = [...published, ...kept].sort(([a], [b]) => byCodePoint(a, b))
  return [
    '{',
    ...entries.flatMap(([key, value], index) => [`${index === 0 ? '' : ', '}${quote(key)}: `, ...value]),
    '}',
  ]
}
