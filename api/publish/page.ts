import { byCodePoint } from '../../shared/cypher/identifiers.ts'
import { once, wholeNumber } from '../query.ts'

const mostNames = 100_000

/** `limit` names that come after `after`. Contract 7.8. */
export const paging = { limit: wholeNumber(1, mostNames).optional(), after: once.optional() }

interface Page {
  limit?: number | undefined
  after?: string | undefined
}

export function pageOf(sorted: readonly string[], { limit = sorted.length, after }: Page): string[] {
  return sorted.filter((name) => after === undefined || byCodePoint(name, after) > 0).slice(0, limit)
}
