import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { Uniqueness } from '../preflight/constraints.ts'

/** The identities in `mappedIndices`, which any program may have written. Contract 4.1, and 5, result metadata. */
export function identitiesIn(mappedIndices: unknown): Uniqueness[] {
  if (typeof mappedIndices !== 'object' || mappedIndices === null) return []
  const { DEFAULT_INDEX, DEFAULT_ID_FIELD, ...labels } = mappedIndices as Record<string, unknown>
  return [...Object.entries(labels), [DEFAULT_INDEX, DEFAULT_ID_FIELD]].flatMap(([label, property]) =>
    typeof label === 'string' && typeof property === 'string' && isQuotable(label) && isQuotable(property)
      ? [{ label, property }]
      : [],
  )
}
