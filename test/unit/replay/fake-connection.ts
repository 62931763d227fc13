import neo4j from 'neo4j-driver'
import type { Connection } from '../../../client/replay/run/connection.ts'
import type { PackedRows } from '../../../client/replay/run/sending.ts'
import { driverOf } from '../../support/origins/packstream.ts'

export const { unpack } = driverOf('5x0')

export const databaseError = (code: string) => {
  const status = {
    gqlStatus: '50N42',
    gqlStatusDescription: 'error',
    diagnosticRecord: undefined,
    rawClassification: undefined,
  }
  return new neo4j.Neo4jError(
    `it is ${code}`,
    code,
    status.gqlStatus,
    status.gqlStatusDescription,
    undefined as never,
    undefined,
  )
}

export interface FakeTarget {
  connection: Connection
  /** The rows of every committed transaction; of a pair that ran as it is, its parameters. */
  committed: unknown[][][]
  /** The most commits that were under way at once. */
  mostCommits(): number
}

/** A target without a database; `run` may throw, or return how many rows were touched. `open` counts transactions. */
export function fakeTarget(
  run: (rows: unknown[][], open: number) => number | undefined,
  commit: (rows: unknown[][]) => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, 1)),
): FakeTarget {
  const committed: unknown[][][] = []
  let open = 0
  let [commits, mostCommits] = [0, 0]
  const session = () => ({
    close: async () => {},
    async beginTransaction() {
      open++
      let rows: unknown[][] = []
      return {
        async run(_text: string, { rows: packed }: { rows: PackedRows }) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          rows = unpack(packed.bytes) as unknown[][]
          const touched = run(rows, open) ?? rows.length
          return {
            records: [{ get: () => BigInt(touched) }],
            summary: { counters: { updates: () => ({ nodesCreated: rows.length }) } },
          }
        },
        async commit() {
          mostCommits = Math.max(mostCommits, ++commits)
          await commit(rows)
          commits--
          committed.push(rows)
        },
        close: async () => void open--,
      }
    },
  })
  const connection = { session, close: async () => {} } as unknown as Connection
  return { connection, committed, mostCommits: () => mostCommits }
}
