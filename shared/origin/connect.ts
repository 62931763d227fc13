import neo4j, { Neo4jError, type Session } from 'neo4j-driver'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import { decode } from '../../packet/packstream/decode.ts'
import { UnknownBoltVersion } from '../../packet/packstream/handshake-answer.ts'
import type { OriginSettings } from '../config/config.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import { type ObserveCall, timing } from '../observability/timed.ts'
import { longestRecordBytes } from './connection.ts'
import type { ConnectionGuard } from './connection-guard.ts'
import { type DbUrl, parseDbUrl } from './db-url.ts'
import type { KeptOrigins } from './kept-origins.ts'
import { requireKnownAnswers } from './known-answers.ts'
import { connectTo, isLegacy, type Link } from './link.ts'
import type { Lookup } from './lookup.ts'
import { originCursor } from './origin-cursor.ts'
import { checkedAddress, type OriginPolicy } from './policy.ts'
import { collectRows, forEachRow, type Received } from './results.ts'
import type { Rows } from './rows.ts'

/** An origin opened for reading: one session, one read-only transaction with a time limit. */
export interface Origin {
  /** Whether the server speaks Cypher 3.5 (Bolt 3) rather than 4 or 5. */
  legacy: boolean
  /**
   * Replaces a read transaction older than a second by a new one, because schema changes wait for old transactions.
   * @returns whether it was replaced.
   */
  renew(): Promise<boolean>
  /** Whether `renew` would begin another transaction. */
  isDue(): boolean
  /**
   * Calls `take` for each row as it arrives, with a cursor at the row's first column. The number of rows has no limit.
   * The next row overwrites the row's bytes.
   * @throws the 502 errors of the catalogue.
   */
  each(query: string, parameters: Record<string, unknown>, take: (row: Cursor) => void): Promise<void>
  /**
   * Returns all rows of a query, or null if they take more than `mostBytes`; the caller must release them. Without
   * `mostBytes`, an origin that sends more than the longest record is disconnected.
   * @throws the 502 errors of the catalogue.
   */
  rows(query: string, parameters: Record<string, unknown>, mostBytes?: number): Promise<Received>
  /** Runs a query that the server may refuse (missing procedure or right) in its own session; null if it fails. */
  ask(query: string): Promise<unknown[][] | null>
  close(): Promise<void>
  /** Closes the origin after all reads have succeeded. Its connections may be kept for another publish. */
  release(): Promise<void>
}

interface OpenedOrigin extends Origin {
  /** Whether it was opened on kept connections. */
  isReused: boolean
}

export interface OpenSettings extends OriginSettings {
  /** Absent: connections are closed after each use. */
  kept?: KeptOrigins | undefined
  /** Observes how long connecting took (`reuse` for kept connections), and each query until its last row. */
  observe?: ObserveCall
}

interface Target {
  dbUrl: string
  /** `Basic <base64 of username:password>`. */
  credentials: string
  /** Absent: the home database of the user. */
  database?: string
  /** The origin must have reached these before each transaction and query. */
  bookmarks?: string[]
}

const renewedAfterMs = 1_000

/** Time limit of opening an origin on kept connections. After that, new connections are made. */
const reuseMs = 5_000

/** Checks that an origin may be opened, without connecting. @throws 400, 422, or 502 if the name does not resolve. */
export async function checkOrigin(
  dbUrl: string,
  policy: OriginPolicy,
  lookup?: Lookup,
): Promise<{ url: DbUrl; address: string }> {
  const url = parseDbUrl(dbUrl)
  if ('problem' in url) throw errors.invalidRequest([{ path: 'dbUrl', message: url.problem }])
  return { url, address: await checkedAddress(url, policy, lookup) }
}

/**
 * Opens the origin of a publish request. Contract 4.1 and 9; read-only, with a transaction time limit. The signal
 * aborts only the opening, not the opened origin. The address is checked before kept connections to it are used.
 * @throws 422 if policy refuses the address, or the origin refuses the database or the bookmarks, speaks no common
 * version of Bolt, or answers the known query wrongly; 502 if the origin cannot be reached or refuses the credentials.
 */
export async function openOrigin(
  target: Target,
  settings: OpenSettings,
  limitSeconds: number,
  lookup?: Lookup,
  signal?: AbortSignal,
): Promise<OpenedOrigin> {
  const { kept, observe = () => {} } = settings
  let operation = 'connect'
  return timing(operation, open, outcomeOf, (_, outcome, seconds) => observe(operation, outcome, seconds))

  async function open(): Promise<OpenedOrigin> {
    const { url, address } = await checkOrigin(target.dbUrl, settings, lookup)
    // Some servers keep on a connection which database the transaction before named.
    const key = JSON.stringify([url, address, target.credentials, target.database ?? null])
    const known = kept?.take(key)
    const reused = known && (await reopened(known, key))
    if (reused) operation = 'reuse'
    const origin = reused ?? (await opened(connectTo(url, address, target.credentials, settings), key))
    return { ...origin, isReused: operation === 'reuse' }
  }

  /** Null if it fails, for example on broken connections. An error with another cause recurs on new connections. */
  async function reopened(link: Link, key: string): Promise<Origin | null> {
    const timer = setTimeout(() => link.guard.disconnect(new Error('kept connections are silent')), reuseMs)
    return opened(link, key)
      .catch(() => null)
      .finally(() => clearTimeout(timer))
  }

  async function opened(link: Link, key: string): Promise<Origin> {
    const { driver, guard } = link
    const disconnect = () => guard.disconnect(new Error('the publish was aborted'))
    signal?.addEventListener('abort', disconnect, { once: true })
    try {
      signal?.throwIfAborted()
      link.legacy ??= await isLegacy(link)
      // The driver would report this as a broken connection.
      if (link.legacy && target.database !== undefined) throw errors.oneDatabaseOnly()
      const { database, bookmarks } = target
      const openSession = () => driver.session({ defaultAccessMode: neo4j.session.READ, database, bookmarks })
      const { end, ...origin } = await originOf(openSession, guard, link.legacy, limitSeconds, observe)
      if (!link.isChecked) await requireKnownAnswers(origin)
      link.isChecked = true
      const close = () => guard.close()
      const release = async () => (kept ? kept.keep(key, link, end()) : close())
      return { ...origin, close, release }
    } catch (error) {
      await guard.close().catch(() => {})
      throw originError(error, errors.originUnreachable)
    } finally {
      signal?.removeEventListener('abort', disconnect)
    }
  }
}

async function originOf(
  openSession: () => Session,
  guard: ConnectionGuard,
  legacy: boolean,
  limitSeconds: number,
  observe: ObserveCall,
): Promise<Omit<Origin, 'close' | 'release'> & { end(): Promise<void> }> {
  guard.wake()
  const session = openSession()
  const begin = () => guard.waitFor(session.beginTransaction({ timeout: limitSeconds * 1_000 }))
  let transaction = await begin()
  let begunAt = performance.now()
  const broke = (error: unknown) => {
    throw originError(error, errors.originBroke)
  }
  const read = <T>(work: () => Promise<T>) => timing('read', () => work().catch<T>(broke), outcomeOf, observe)
  const isDue = () => performance.now() - begunAt >= renewedAfterMs

  return {
    legacy,
    isDue,
    async renew() {
      if (!isDue()) return false
      await guard.waitFor(transaction.rollback()).catch(broke)
      transaction = await begin().catch(broke)
      begunAt = performance.now()
      return true
    },
    each: (query, parameters, take) => read(() => forEachRow(guard, transaction.run(query, parameters), take)),
    rows(query, parameters, mostBytes) {
      const mostArriving = mostBytes === undefined ? longestRecordBytes : Number.POSITIVE_INFINITY
      const run = () => transaction.run(query, parameters)
      return read(() => collectRows(guard, run(), mostBytes ?? longestRecordBytes, mostArriving))
    },
    async ask(query) {
      const apart = openSession()
      try {
        const { rows } = await collectRows(guard, apart.run(query), mostBytesAsked, longestRecordBytes)
        return rows && decodeRows(rows)
      } catch {
        return null
      } finally {
        await guard.waitFor(apart.close()).catch(() => {})
      }
    },
    end: () => guard.waitFor(session.close()).then(guard.rest),
  }
}

/**
 * Bytes of what an origin reports about its indexes or constraints. Beyond this limit the publish proceeds without
 * knowing them.
 */
const mostBytesAsked = 16 * 1024 * 1024

function decodeRows(rows: Rows): unknown[][] {
  const cursor = originCursor()
  try {
    return Array.from({ length: rows.length }, (_, index) => {
      const columns = cursor.openRecord(rows.bytes, rows.start(index), rows.end(index))
      const values = Array.from({ length: columns }, () => decode(cursor, rows.unpack))
      cursor.endRecord()
      return values
    })
  } finally {
    rows.release()
  }
}

/** A non-retryable error is a refusal, by the origin or by our own policy; any other error is a failure. */
const outcomeOf = (error: unknown) => (error instanceof AppError && !error.retryable ? 'refused' : 'failed')

/** Whether the origin did not reach the bookmarks in time. Neo4j 3.5 uses its code for other errors too. */
const isBehind = ({ code, message }: Neo4jError) =>
  code === 'Neo.TransientError.Transaction.BookmarkTimeout' ||
  (code === 'Neo.TransientError.Transaction.InstanceStateChanged' && message.includes('requested version'))

/** Maps the driver's errors to the catalogue: their own messages contain addresses and must not reach a client. */
function originError(error: unknown, broken: (cause: unknown) => AppError): unknown {
  // What is no answer of Bolt comes from another server: an answer must not tell what listens at an address.
  if (error instanceof UnknownBoltVersion)
    return error.isRefusal ? errors.noCommonBolt(error) : errors.originUnreachable(error)
  if (error instanceof AppError || !(error instanceof Neo4jError)) return error
  if (error.code.startsWith('Neo.ClientError.Security.')) return errors.originRefusedCredentials(error)
  if (/^Neo\.ClientError\.Database\.\w*DatabaseNotFound$/.test(error.code)) return errors.noSuchDatabase(error)
  if (error.code.startsWith('Neo.ClientError.Transaction.InvalidBookmark')) return errors.bookmarksRefused(error)
  if (isBehind(error)) return errors.originBehind(error)
  if (error.code.startsWith('Neo.ClientError.Transaction.TransactionTimedOut')) return errors.originTimeLimit(error)
  // The server has terminated the transaction (age, administrator, shutdown), although the code says client error.
  if (error.code.startsWith('Neo.ClientError.Transaction.')) return errors.originBroke(error)
  if (error.code.startsWith('Neo.ClientError.')) return errors.originRefusedQuery(error)
  return broken(error)
}
