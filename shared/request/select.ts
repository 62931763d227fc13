import { z } from 'zod'
import { isQuotable, longestName } from '../../packet/cypher/identifiers.ts'
import { listOf, mapOf } from '../validation/bounded.ts'
import { idForms } from './id-forms.ts'
import { identifier } from './identifier.ts'

/** Elements of `select`. Beyond this limit the answer is `400 invalidRequest`. Each is a search of the origin. */
const mostElements = 100
/** Properties of a `where`. Beyond this limit the answer is `400 invalidRequest`. */
const mostConditions = 20
/** Values of a property in a `where`. Beyond this limit the answer is `400 invalidRequest`. */
const mostValues = 1_000
/** Characters of a text in a `where`. Beyond this limit the answer is `400 invalidRequest`. No index has longer ones. */
const longestText = 65_535

type Value = string | number | boolean

const problem = `must be a string, a boolean or a number; a string has at most ${longestText} characters and no lone surrogate, and an integer beyond 53 bits is written as a string`

function isValue(it: unknown): it is Value {
  if (typeof it === 'string') return it.length <= longestText && it.isWellFormed()
  return typeof it === 'boolean' || (typeof it === 'number' && (!Number.isInteger(it) || Number.isSafeInteger(it)))
}

const someValues = z.unknown().superRefine((given, context) => {
  const list: unknown[] = Array.isArray(given) ? given : [given]
  if (list.length === 0) context.addIssue('must not be empty')
  if (list.length > mostValues) context.addIssue(`must have at most ${mostValues} values`)
  const wrong = list.findIndex((one) => !isValue(one))
  if (wrong !== -1) context.addIssue({ code: 'custom', message: problem, path: Array.isArray(given) ? [wrong] : [] })
}) as z.ZodType<Value | Value[]>

const scalar = { type: ['string', 'number', 'boolean'] }

/** The label that stands for every label of `mappedIndices`. */
export const everyLabel = '*'

/** A cheap test of names and of values. Half a million conditions fit into a body. */
function isValid(it: unknown): boolean {
  if (typeof it === 'string') return it.length <= longestName && isQuotable(it)
  return Array.isArray(it) ? it.length > 0 && it.length <= mostValues && it.every(isValue) : isValue(it)
}

const where = mapOf<Value | Value[]>(
  identifier,
  someValues,
  { oneOf: [scalar, { type: 'array', items: scalar }] },
  isValid,
)
  .refine((conditions) => Object.keys(conditions).length > 0, 'must not be empty')
  .refine((conditions) => Object.keys(conditions).length <= mostConditions, `must have at most ${mostConditions} keys`)

const element = z.strictObject({
  label: identifier.describe('label of the nodes; * for every label of mappedIndices, a label * in backticks'),
  where: where.nullish().describe('properties that must be equal: each to its value, or to one in its list'),
})

export const selectField = listOf<z.output<typeof element>>(
  element,
  z.toJSONSchema(element, { io: 'input', unrepresentable: 'any' }),
  undefined,
  mostElements,
).refine((list) => list.length > 0, 'must not be empty')

export type SelectElement = z.output<typeof element>

/** Nodes with one of these labels that meet all conditions. */
export interface NodeSelector {
  labels: readonly string[]
  where: readonly { property: string; asked: Value | readonly Value[] }[]
}

/** Reads `select`, given the labels of `mappedIndices`: one selector for each element, in their order. */
export function selectorsOf(select: readonly SelectElement[], mapped: readonly string[]): NodeSelector[] {
  return select.map(({ label, where }) => ({
    labels: label === everyLabel ? mapped : [literal(label)],
    where: Object.entries(where ?? {}).map(([property, asked]) => ({ property, asked })),
  }))
}

/** The label that an element names: `` `*` `` is the label `*`. */
export const literal = (label: string): string => (label === `\`${everyLabel}\`` ? everyLabel : label)

/** Every form in which one of these values may be stored. A body may have five million, so only a query asks for them. */
export const formsOfAll = (asked: Value | readonly Value[]): readonly unknown[] => [asked].flat().flatMap(formsOf)

/** How a value may be stored: a text as ids are (contract 4.3), a number as itself, whole ones as integers. */
function formsOf(value: Value): readonly unknown[] {
  if (typeof value === 'string') return idForms(value)
  return [typeof value === 'number' && Number.isInteger(value) && !Object.is(value, -0) ? BigInt(value) : value]
}

/** Whether any of these requests selects nodes. */
export const selects = (requests: readonly { select?: unknown }[]): boolean =>
  requests.some(({ select }) => select !== undefined)
