import { expect } from 'vitest'
import { type ParameterSyntax, render } from '../../../packet/cypher/parameters.ts'
import type { Expression, Statement } from '../../../packet/kinds/statement.ts'
import { renderValue } from '../../../packet/values/render-value.ts'

/** The text, and the names of the parameters in the order of their values. */
export const shown = ({ text, bindings }: Statement<unknown>, syntax: ParameterSyntax = 'braces') =>
  `${render(text, syntax)}\n${bindings.map(({ name }) => name).join(', ')}`

export const expressionOf = (value: unknown): Expression => renderValue(value) ?? expect.unreachable()

/** A node that a statement finds. */
export const anchor = (label: string, idProperty: string, id: unknown = 'x') => ({
  label,
  idProperty,
  id: expressionOf(id),
})

export const fields = (properties: Record<string, unknown>) =>
  Object.entries(properties).map(([key, value]) => ({ key, value: expressionOf(value) }))
