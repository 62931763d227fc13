import type { Driver, ManagedTransaction } from 'neo4j-driver'
import { parseLossless } from '../../shared/replay/lossless-json.ts'

export interface Pair {
  statement: string
  parameters: Record<string, unknown>
  metadata: Record<string, unknown> | null
}

export const parsePart = (text: string): Pair[] => (parseLossless(text) as { statements: Pair[] }).statements

const pairsPerTransaction = 500

/** Replays pairs as a client would: in the given order, pipelined, a few hundred per transaction. */
export async function replay(driver: Driver, pairs: readonly Pair[]): Promise<void> {
  const session = driver.session()
  try {
    for (let start = 0; start < pairs.length; start += pairsPerTransaction) {
      const batch = pairs.slice(start, start + pairsPerTransaction)
      await session.executeWrite(async (transaction: ManagedTransaction) => {
        await Promise.all(batch.map(({ statement, parameters }) => transaction.run(statement, parameters)))
      })
    }
  } finally {
    await session.close()
  }
}
