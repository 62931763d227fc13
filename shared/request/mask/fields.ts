import { z } from 'zod'
import { isQuotable, longestName } from '../../../packet/cypher/identifiers.ts'
import { listOf, mapOf } from '../../validation/bounded.ts'
import { identifier } from '../identifier.ts'

/** What happens to a property: it is left out, replaced by a keyed hash, or by null. Contract 4.24. */
export const maskActions = ['drop', 'hash', 'null'] as const
export type MaskAction = (typeof maskActions)[number]

const isName = (it: unknown) => typeof it === 'string' && it.length <= longestName && isQuotable(it)
const action = z.enum(maskActions)
const actions = { type: 'string', enum: [...maskActions] }

export const maskField = mapOf<Record<string, MaskAction>>(identifier, mapOf<MaskAction>(identifier, action, actions), {
  type: 'object',
  additionalProperties: actions,
})

/**
 * Properties in a list of `only`. Beyond this limit the answer is `400 invalidRequest`. No real node type has more.
 */
const mostProperties = 10_000
const text = { type: 'string' }

export const onlyField = mapOf<string[]>(identifier, listOf(identifier, text, isName, mostProperties), {
  type: 'array',
  items: text,
})
