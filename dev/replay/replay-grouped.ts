import type { Driver, ManagedTransaction } from 'neo4j-driver'
import { inSlices } from '../requests.ts'
import type { Pair } from './replay.ts'

const rowsPerTransaction = 1_000

/** What the target's own counters said, summed up. */
export interface Replayed {
  transactions: number
  counters: Record<string, number>
}

/** A statement for many pairs at once. */
interface Grouped {
  text: string
  names: string[]
  isUpsert: boolean
}

/**
 * Replays pairs fast: those of one text go together, a thousand a transaction, as rows of that text. Their order changes,
 * which a packet allows. Throws, and rolls that transaction back, when it had another number of upserts than rows: more
 * means several nodes of one identity, fewer a lost pair.
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

/** A row lacks nothing: what is a missing parameter to the pair alone would be a null here. */
function withEvery(names: readonly string[], parameters: Pair['parameters'], statement: string): Pair['parameters'] {
  const lacking = names.find((name) => !Object.hasOwn(parameters, name))
  if (lacking !== undefined) throw new Error(`a pair has no parameter ${lacking}: ${statement}`)
  return parameters
}

/**
 * One statement for many pairs: its parameters become those of a row. Exact, because a packet's identifiers are always
 * in backticks with an inner one doubled, so that what looks like a parameter outside of them is one.
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
  // A leading WITH, which binds lists, would otherwise forget the row.
  const carried = converted.replace(/^WITH /, 'WITH row, ')
  return {
    text: `UNWIND ${isInBraces ? '{rows}' : '$rows'} AS row ${carried} RETURN count(*)`,
    names: [...names],
    isUpsert: statement.startsWith('MERGE '),
  }
}
