import { setImmediate } from 'node:timers/promises'
import { byCodePoint } from '../../shared/cypher/identifiers.ts'
import { once, wholeNumber } from '../query.ts'

const mostNames = 100_000

/** `limit` names that come after `after`. Contract 7.8. */
export const paging = { limit: wholeNumber(1, mostNames).optional(), after: once.optional() }

const turnMs = 20

/** Names that hold any of the texts. Ten thousand texts and a large directory take seconds: others get their turns. */
export async function holdingAny(names: readonly string[], texts: readonly string[]): Promise<string[]> {
  const holding: string[] = []
  let turn = performance.now()
  for (const name of names) {
    if (texts.some((text) => name.includes(text))) holding.push(name)
    if (performance.now() - turn < turnMs) continue
    await setImmediate()
    turn = performance.now()
  }
  return holding
}

interface Page {
  limit?: number | undefined
  after?: string | undefined
}

export function pageOf(sorted: readonly string[], { limit = sorted.length, after }: Page): string[] {
  return sorted.filter((name) => after === undefined || byCodePoint(name, after) > 0).slice(0, limit)
}
