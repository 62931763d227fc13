import { z } from 'zod'
import { isQuotable, longestName } from '../../packet/cypher/identifiers.ts'

/** A label, type or property key that a statement can name. */
export const identifier = z
  .string()
  .refine((name) => name.length <= longestName, {
    message: `must be at most ${longestName} characters`,
    abort: true,
  })
  .refine(isQuotable, { message: 'must be non-empty, without backslashes, control characters or lone surrogates' })
