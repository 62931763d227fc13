import type { Record as BoltRecord, Result } from 'neo4j-driver'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { originCursor } from './origin-cursor.ts'
import type { Rows } from './rows.ts'

/**
 * Rows of one result that are held together. Beyond this limit the connection closes with `502 originBroke`: an origin
 * that sends more may never end.
 */
const mostRowsHeld = 200_000
const tooManyBytes = (most: number) => new Error(`a result takes more than ${most} bytes`)
const tooManyRows = () => new Error(`a result has more than ${mostRowsHeld} rows`)

/** All rows of a result; null if they take more than may be held. `rowBytes` is their average size. */
export interface Received {
  rows: Rows | null
  rowBytes: number
}

/**
 * Collects all rows of a result, unless they take more than `mostBytes`: then `rows` is null. An origin that sends more
 * than `mostArriving` bytes is disconnected, as it may never end.
 */
export async function collectRows(
  guard: ConnectionGuard,
  result: Result,
  mostBytes: number,
  mostArriving = Number.POSITIVE_INFINITY,
): Promise<Received> {
  let rows: Rows | null = guard.newRows()
  let arrived = 0
  let bytes = 0
  try {
    await receive(guard, result, (record) => {
      if (++arrived > mostRowsHeld) guard.disconnect(tooManyRows())
      bytes += record.length
      if (bytes > mostArriving) guard.disconnect(tooManyBytes(mostArriving))
      if (rows === null) return
      if (bytes <= mostBytes) {
        rows.add(record)
        return
      }
      rows.release()
      rows = null
      // The server discards the remaining rows. Rows that it has already sent (with Bolt 3, all) still arrive.
      result.summary().catch(() => {})
    })
  } catch (error) {
    rows?.release()
    throw error
  }
  return { rows, rowBytes: bytes / Math.max(1, arrived) }
}

/** Passes each row of a result to `take`, as a cursor at its first field, and retains none. */
export function forEachRow(guard: ConnectionGuard, result: Result, take: (row: Cursor) => void): Promise<void> {
  const cursor = originCursor()
  return receive(guard, result, (record) => {
    cursor.openRecord(record, 0, record.length)
    take(cursor)
    cursor.endRecord()
  })
}

/** Passes the bytes of each record to `take`, which are valid until it returns. */
function receive(guard: ConnectionGuard, result: Result, take: (record: Buffer) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // A transaction retains its results with their observers until it ends. Clearing `taking` frees what `take` holds.
  let taking: typeof take | null = take
  result.subscribe({
    onNext(record) {
      const bytes = bytesOf(guard, record)
      taking?.(bytes)
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
