import type { Driver, ManagedTransaction } from 'neo4j-driver'
import type { Pair } from '../../../packet/parts/parse-part.ts'

const pairsPerTransaction = 500

/** Replays pairs as the simplest client would: in the given order, each as it is, a few hundred per transaction. */
export async function replayInOrder(driver: Driver, pairs: readonly Pair[]): Promise<void> {
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
