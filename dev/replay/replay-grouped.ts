import type { Driver, ManagedTransaction } from 'neo4j-driver'
import { inSlices } from '../requests.ts'
import type { Pair } from './replay.ts'

const rowsPerTransaction = 1_000

/** The sums of the target's own counters. */
export interface Replayed {
  transactions: number
  counters: Record<string, number>
}

/** A statement that executes many pairs at once. */
interface Grouped {
  text: string
  names: string[]
  isUpsert: boolean
}

/**
 * Replays pairs fast: pairs with the same statement run as rows of one query, a thousand per transaction. This changes
 * their order, which a packet allows. Throws, and rolls the transaction back, if upserts and rows differ in number:
 * more upserts mean that several nodes share an identity, fewer that a pair was lost.
 */
export async function replayGrouped(driver: Driver, pairs: readonly Pair[]): Promise<Replayed> {
  const groups = Map.groupBy(pairs, ({ statement }) => statement)
  const total: Replayed = { transactions: 0, counters: {} }
  const session = driver.session()
  try {
    for (const [statement, alike] of groups) {
      const query = overRows(statement)
      for (const slice of inSlices(alike, rowsPerTransaction)) {
        const rows = slice.map(({ parameters }) => withEvery(query.names, parameters, statement))
        const updates = await session.executeWrite((transaction) => runRows(transaction, query, rows))
        total.transactions++
        for (const [name, count] of Object.entries(updates)) total.counters[name] = (total.counters[name] ?? 0) + count
      }
    }
  } finally {
    await session.close()
  }
  return total
}

async function runRows(transaction: ManagedTransaction, { text, isUpsert }: Grouped, rows: readonly object[]) {
  const { records, summary } = await transaction.run(text, { rows })
  const touched = Number(records[0]?.get(0))
  if (isUpsert && touched !== rows.length) throw new Error(`${touched} upserts by ${rows.length} rows of ${text}`)
  return summary.counters.updates()
}

/** Refuses a pair without one of its parameters: alone it would fail, but as a row it would read null. */
function withEvery(names: readonly string[], parameters: Pair['parameters'], statement: string): Pair['parameters'] {
  const lacking = names.find((name) => !Object.hasOwn(parameters, name))
  if (lacking !== undefined) throw new Error(`a pair has no parameter ${lacking}: ${statement}`)
  return parameters
}

/**
 * Rewrites a statement to run over rows: its parameters become fields of `row`. This is exact, because a packet always
 * quotes identifiers in backticks and doubles inner ones: what looks like a parameter outside of them is one.
 */
export function overRows(statement: string): Grouped {
  const names = new Set<string>()
  let isInBraces = false
  const converted = statement
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replace(/\$(\w+)|\{([A-Za-z_]\w*)\}/g, ofRow) : part))
    .join('`')
  function ofRow(_: string, dollar: string | undefined, braces: string | undefined) {
    isInBraces ||= braces !== undefined
    const name = (dollar ?? braces) as string
    names.add(name)
    return `row.${name}`
  }
  // A leading WITH, which binds lists, would otherwise drop `row` from the scope.
  const carried = converted.replace(/^WITH /, 'WITH row, ')
  return {
    text: `UNWIND ${isInBraces ? '{rows}' : '$rows'} AS row ${carried} RETURN count(*)`,
    names: [...names],
    isUpsert: statement.startsWith('MERGE '),
  }
}
