import type { Record as BoltRecord, Result } from 'neo4j-driver'
import { DroppedRecord } from './connection.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { bytesOf } from './row-bytes.ts'

/** One row: values by column, integers as BigInt, floats as number. */
export type Row = readonly unknown[]

// More than the rows of any page or the constraints of any database: an origin that sends more may never end.
const mostRowsHeld = 200_000
export const tooLarge = () => new Error('a record is larger than may be held')
const tooManyRows = () => new Error(`a result has more than ${mostRowsHeld} rows`)

/** State of a result while its rows arrive. */
interface Receiving<T> {
  /** null after the read was abandoned. */
  rows: T[] | null
  arrived: number
  /** Number of rows whose size is included in `bytes`. */
  measured: number
  bytes: number
  largestBytes: number
  resolve(received: Received<T>): void
  reject(error: unknown): void
}

/** Rows with their average size, and that of the largest. */
export interface Received<T> {
  rows: T[] | null
  rowBytes: number
  largestBytes: number
}

/**
 * Collects all rows of a result; `rows` is null if together they take more than `mostBytes`. Then a record that is too
 * large to be held counts as one such row.
 */
export function collectRows<T>(
  guard: ConnectionGuard,
  result: Result,
  rowsOf: (record: BoltRecord) => readonly T[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Received<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Received<T>>()
  // A transaction retains its results, and these their observers, until it ends. Clearing `reading` frees the rows and
  // the promise.
  let reading: Receiving<T> | null = {
    ...{ rows: [], arrived: 0, measured: 0, bytes: 0, largestBytes: 0 },
    ...{ resolve, reject },
  }
  const isBounded = mostBytes < Number.POSITIVE_INFINITY
  const ended = isBounded ? guard.dropLargeRecords() : () => {}
  guard.resetBytesHeld()
  result.subscribe({
    onNext(record) {
      if (reading === null) return
      const dropped = record.get(0)
      const isDropped = dropped instanceof DroppedRecord
      if (isDropped && !isBounded) return guard.disconnect(tooLarge())
      const rows = isDropped ? [] : rowsOf(record)
      reading.arrived += rows.length
      if (reading.arrived > mostRowsHeld) guard.disconnect(tooManyRows())
      if (reading.rows === null) return guard.resetBytesHeld()
      for (const row of rows) {
        const bytes = bytesOf(row)
        reading.measured = reading.rows.push(row)
        reading.bytes += bytes
        if (bytes > reading.largestBytes) reading.largestBytes = bytes
      }
      if (isDropped) {
        reading.measured++
        reading.bytes += dropped.bytes
        reading.largestBytes = dropped.bytes
      }
      if (!isDropped && reading.bytes <= mostBytes) return
      reading.rows = null
      // The server discards the remaining rows; those already fetched (with Bolt 3, all) still arrive.
      result.summary().catch(() => {})
    },
    onCompleted() {
      const { rows = null, bytes = 0, measured = 0, largestBytes = 0 } = reading ?? {}
      reading?.resolve({ rows, rowBytes: bytes / Math.max(1, measured), largestBytes })
    },
    onError: (error) => reading?.reject(error),
  })
  return guard.waitFor(promise).finally(() => {
    reading = null
    ended()
  })
}

/** Passes each row of a result to `take` and retains none. */
export function forEachRow(guard: ConnectionGuard, result: Result, take: (row: Row) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // As above: the transaction must not retain what `take` builds from the rows.
  let taking: typeof take | null = take
  guard.resetBytesHeld()
  result.subscribe({
    onNext(record) {
      guard.resetBytesHeld()
      const row = record.get(0)
      if (row instanceof DroppedRecord) return guard.disconnect(tooLarge())
      taking?.(row)
    },
    onCompleted: () => resolve(),
    onError: reject,
  })
  return guard.waitFor(promise).finally(() => {
    taking = null
  })
}
