import { z } from 'zod'
import { parseStrategyName, strategyNames } from '../../shared/models/search/strategies.ts'
import { listOf } from '../../shared/validation/bounded.ts'
import { zodBody } from '../http/body/zod-body.ts'

/** Characters of a name in a search. Beyond this limit the answer is `400 invalidRequest`. */
const longestName = 255
/** Elements of `nodeTypes` in a search. Beyond this limit the answer is `400 invalidRequest`. */
const mostNodeTypes = 10_000
/** Bytes of the body of a search. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 1024 * 1024

/** Clusters, policies and indexes are only names, not stored records. Contract 10, Search. */
export const name = z
  .string()
  .max(longestName, `must be at most ${longestName} characters`)
  .refine((text) => text.isWellFormed(), 'must be valid Unicode')

/** Camel case or snake case: clients use both. Seed, Search. */
export const strategyName = z
  .string()
  .refine((text) => parseStrategyName(text) !== null, `must be one of ${strategyNames.join(', ')}`)
  .meta({
    description: 'in camel or in snake case',
    examples: [...strategyNames],
    pattern: '^default(Broker|Partial|Full|_broker|_partial|_full)$',
  })

export const nodeTypesBody = zodBody(
  z.strictObject({
    nodeTypes: listOf(name, { type: 'string', maxLength: longestName }, undefined, mostNodeTypes)
      .refine((keys) => keys.length > 0, 'must have at least one node type')
      .meta({ override: { type: 'array', items: { type: 'string', maxLength: longestName }, minItems: 1 } }),
  }),
  limitBytes,
  { nodeTypes: ['Movie'] },
)
