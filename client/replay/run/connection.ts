import neo4j, { type Driver, type Session, type Transaction } from 'neo4j-driver'
import { extendBolt } from '../../../packet/packstream/extend-bolt.ts'
import { ReplayError } from '../errors.ts'
import { isRefusedBookmark } from './failures.ts'
import { sendPackedRows } from './sending.ts'

/** The database that packets are replayed into. */
export interface Target {
  url: string
  /** Null for the default database. */
  database: string | null
  /** Null for a database without authentication. */
  user: string | null
  password: string | null
}

export interface Connection {
  session(): Session
  close(): Promise<void>
  /** Called in each transaction of a replay, after what it writes; what it throws rolls the transaction back. */
  check?(transaction: Transaction): Promise<void>
  /** Called when the target refuses a bookmark of its own: later sessions send none. */
  forgetBookmarks?(): void
}

type Access = 'read' | 'write'

/** Opens a driver that reads integers as BigInt and does not repeat transactions on its own. Connects at first use. */
export function connect({ url, database, user, password }: Target, access: Access = 'write'): Connection {
  const auth = user === null ? undefined : neo4j.auth.basic(user, password ?? '')
  const driver = neo4j.driver(url, auth, { useBigInt: true, telemetryDisabled: true, connectionTimeout: 15_000 })
  extendBolt(driver)
  sendPackedRows(driver)
  return connectionOf(driver, database, access)
}

/** Sessions of a driver that can send packed rows. They see what earlier ones wrote, on any member of a cluster. */
export function connectionOf(driver: Driver, database: string | null = null, access: Access = 'write'): Connection {
  const defaultAccessMode = access === 'read' ? neo4j.session.READ : neo4j.session.WRITE
  const bookmarkManager = neo4j.bookmarkManager()
  const named = database === null ? {} : { database }
  let bookmarks: object = { bookmarkManager }
  return {
    session: () => driver.session({ defaultAccessMode, ...bookmarks, ...named }),
    close: () => driver.close(),
    forgetBookmarks: () => {
      bookmarks = {}
    },
  }
}

export async function inSession<T>(connection: Connection, work: (session: Session) => Promise<T>): Promise<T> {
  const session = connection.session()
  try {
    return await work(session)
  } catch (error) {
    if (isRefusedBookmark(error)) connection.forgetBookmarks?.()
    throw error
  } finally {
    await session.close()
  }
}

const longestEndMs = 10_000

/**
 * Runs `work` with a connection, and ends soon after `signal` is aborted: open transactions get ten seconds, after which
 * the target has to end them. @throws ReplayError `interrupted` with this message, instead of any other error, once it
 * is aborted
 */
export async function atTarget<T>(
  target: Target,
  access: Access,
  signal: AbortSignal,
  work: (connection: Connection) => Promise<T>,
  message = 'interrupted',
): Promise<T> {
  const connection = connect(target, access)
  const overdue = Promise.withResolvers<never>()
  overdue.promise.catch(() => {})
  const onAbort = () => setTimeout(overdue.reject, longestEndMs).unref()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(connection), overdue.promise])
  } catch (error) {
    throw signal.aborted ? new ReplayError('interrupted', message) : error
  } finally {
    signal.removeEventListener('abort', onAbort)
    await connection.close()
  }
}
