import type { Record as BoltRecord, Result } from 'neo4j-driver'
import type { Line } from './line.ts'
import { bytesOf } from './row-bytes.ts'

/** One row: values by column, integers as BigInt, floats as number. */
export type Row = readonly unknown[]

// More than any page has, or any database constraints: an origin that gives more will not end.
const mostRowsHeld = 200_000
const endless = () => new Error(`a result has more than ${mostRowsHeld} rows`)

/** A result whose rows are coming. */
interface Receiving<T> {
  /** null once they are given up. */
  rows: T[] | null
  arrived: number
  /** So many rows took so many bytes. */
  measured: number
  bytes: number
  resolve(received: Received<T>): void
  reject(error: unknown): void
}

interface Received<T> {
  rows: T[] | null
  rowBytes: number
}

/** All rows of a result; null as soon as they take more than `mostBytes`, together. */
export function collected<T>(
  line: Line,
  result: Result,
  rowOf: (record: BoltRecord) => T,
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Received<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Received<T>>()
  // A transaction keeps all its results until it ends, and these keep who reads them: nobody may keep the rows, nor
  // what was promised them.
  let reading: Receiving<T> | null = { rows: [], arrived: 0, measured: 0, bytes: 0, resolve, reject }
  line.drained()
  result.subscribe({
    onNext(record) {
      if (reading === null) return
      if (++reading.arrived > mostRowsHeld) line.cut(endless())
      if (reading.rows === null) return line.drained()
      const row = rowOf(record)
      reading.measured = reading.rows.push(row)
      reading.bytes += bytesOf(row)
      if (reading.bytes <= mostBytes) return
      reading.rows = null
      // What was fetched still comes, with Bolt 3 all of it; the rest the server discards.
      result.summary().catch(() => {})
    },
    onCompleted() {
      const { rows = null, bytes = 0, measured = 0 } = reading ?? {}
      reading?.resolve({ rows, rowBytes: bytes / Math.max(1, measured) })
    },
    onError: (error) => reading?.reject(error),
  })
  return line.during(promise).finally(() => {
    reading = null
  })
}

/** Hands over the rows of a result, of which nothing is kept. */
export function handedOver(line: Line, result: Result, take: (row: Row) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // What the transaction keeps must not keep what is made of the rows, as above.
  let taking: typeof take | null = take
  line.drained()
  result.subscribe({
    onNext(record) {
      line.drained()
      taking?.(record.get(0))
    },
    onCompleted: () => resolve(),
    onError: reject,
  })
  return line.during(promise).finally(() => {
    taking = null
  })
}
