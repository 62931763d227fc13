import neo4j, { type Driver, type Session } from 'neo4j-driver'

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
}

type Access = 'read' | 'write'

/** Opens a driver that reads integers as BigInt and does not repeat transactions on its own. Connects at first use. */
export function connect({ url, database, user, password }: Target, access: Access = 'write'): Connection {
  const auth = user === null ? undefined : neo4j.auth.basic(user, password ?? '')
  const driver = neo4j.driver(url, auth, { useBigInt: true, telemetryDisabled: true, connectionTimeout: 15_000 })
  return connectionOf(driver, database, access)
}

/** Sessions of a driver that see what earlier ones wrote, on any member of a cluster. */
export function connectionOf(driver: Driver, database: string | null = null, access: Access = 'write'): Connection {
  const defaultAccessMode = access === 'read' ? neo4j.session.READ : neo4j.session.WRITE
  const bookmarkManager = neo4j.bookmarkManager()
  const named = database === null ? {} : { database }
  return {
    session: () => driver.session({ defaultAccessMode, bookmarkManager, ...named }),
    close: () => driver.close(),
  }
}
