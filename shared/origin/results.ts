import type { Record as BoltRecord, Result } from 'neo4j-driver'
import { Cursor } from '../packstream/cursor.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import type { Rows } from './rows.ts'

/**
 * Rows of one result that are held together. Beyond it the connection closes with `502 originBroke`: an origin that
 * sends more may never end.
 */
const mostRowsHeld = 200_000
const tooManyBytes = (most: number) => new Error(`a result takes more than ${most} bytes`)
const tooManyRows = () => new Error(`a result has more than ${mostRowsHeld} rows`)

/** All rows of a result; null if they take more than may be held. `rowBytes` is their average size. */
export interface Received {
  rows: Rows | null
  rowBytes: number
}

/** State of a result while its rows arrive. */
interface Receiving {
  /** null after the read was abandoned. */
  rows: Rows | null
  arrived: number
  bytes: number
  resolve(received: Received): void
  reject(error: unknown): void
}

/**
 * Collects all rows of a result, unless they take more than `mostBytes`: then `rows` is null. An origin that sends more
 * than `mostArriving` bytes is disconnected, as it may never end.
 */
export function collectRows(
  guard: ConnectionGuard,
  result: Result,
  mostBytes: number,
  mostArriving = Number.POSITIVE_INFINITY,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  // A transaction retains its results with their observers until it ends. Clearing `reading` frees the rows and the
  // promise.
  let reading: Receiving | null = { rows: guard.newRows(), arrived: 0, bytes: 0, resolve, reject }
  result.subscribe({
    onNext(record) {
      if (reading === null) return
      if (++reading.arrived > mostRowsHeld) guard.disconnect(tooManyRows())
      const bytes = bytesOf(guard, record)
      reading.bytes += bytes.length
      if (reading.bytes > mostArriving) guard.disconnect(tooManyBytes(mostArriving))
      if (reading.rows === null) return
      if (reading.bytes <= mostBytes) {
        reading.rows.add(bytes)
        return
      }
      reading.rows.release()
      reading.rows = null
      // The server discards the remaining rows. Rows that it has already sent (with Bolt 3, all) still arrive.
      result.summary().catch(() => {})
    },
    onCompleted() {
      const { rows = null, bytes = 0, arrived = 0 } = reading ?? {}
      reading?.resolve({ rows, rowBytes: bytes / Math.max(1, arrived) })
    },
    onError(error) {
      reading?.rows?.release()
      reading?.reject(error)
    },
  })
  return guard.waitFor(promise).finally(() => {
    reading = null
  })
}

/** Passes each row of a result to `take`, as a cursor at its first field, and retains none. */
export function forEachRow(guard: ConnectionGuard, result: Result, take: (row: Cursor) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // As above: the transaction must retain neither what `take` builds from the rows nor the last row.
  let taking: { take: (row: Cursor) => void; cursor: Cursor } | null = { take, cursor: new Cursor() }
  result.subscribe({
    onNext(record) {
      const bytes = bytesOf(guard, record)
      if (taking === null) return
      taking.cursor.openRecord(bytes, 0, bytes.length)
      taking.take(taking.cursor)
    },
    onCompleted: () => resolve(),
    onError: reject,
  })
  return guard.waitFor(promise).finally(() => {
    taking = null
  })
}

/** The bytes of a record, valid while it is delivered. */
function bytesOf(guard: ConnectionGuard, record: BoltRecord): Buffer {
  const bytes = record.get(0)
  // This should never happen: the driver would have kept the record while its memory was overwritten.
  if (bytes !== guard.delivered()) throw new Error('the driver delivered a record late')
  return bytes
}
