import { setTimeout as delay } from 'node:timers/promises'
import neo4j, { type Transaction } from 'neo4j-driver'
import { extendBolt } from '../../packet/packstream/extend-bolt.ts'
import type { ManagerSettings } from '../config/config.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { Logger } from '../observability/log.ts'
import { boltOutcome, type ObserveCall, timing } from '../observability/timed.ts'
import { isTransient, isViolation, translated } from './failures.ts'
import { createSchema } from './schema.ts'
import type { ModelStatement } from './statements.ts'

export type DatabaseRow = readonly unknown[]

/** The service's own model database. Each call is one transaction, and one round trip if it is a single statement. */
export interface ManagerDatabase {
  /** @throws managerAway (503) */
  read(statement: ModelStatement): Promise<DatabaseRow[]>
  /**
   * Calls `statement` again for each attempt. Several statements form one transaction; their rows are concatenated.
   * @throws managerAway (503), DuplicateError
   */
  write(statement: () => ModelStatement | readonly ModelStatement[]): Promise<DatabaseRow[]>
  close(): Promise<void>
}

/** Time of a transaction in the manager database. Beyond this limit the answer is `503 managerTimeLimit`. */
const transactionLimitMs = 30_000
/** Time that the manager database takes to answer. Beyond this limit the answer is `503 managerAway`. */
const answerLimitMs = 35_000
/**
 * Attempts of a transaction that a deadlock or a concurrent change ends. Beyond this limit the answer is
 * `503 managerAway`.
 */
const mostAttempts = 8
/** After a pause this long a different database may answer: a restored or an empty one. */
const pauseMs = 5_000

/**
 * Opens the database without waiting for it: it may be unavailable now or later, and the rest of the API works. Its
 * constraints are created as soon as it is available and before any write.
 */
export function openManagerDatabase(
  { url, user, password }: ManagerSettings,
  log: Pick<Logger, 'warn'>,
  observe: ObserveCall = () => {},
): ManagerDatabase {
  const driver = neo4j.driver(url, user === undefined ? undefined : neo4j.auth.basic(user, password ?? ''), {
    // All numbers are below 2^53: counters, and ids that we generate.
    disableLosslessIntegers: true,
    // Results are always read completely, so fetch them in one round trip regardless of size.
    fetchSize: -1,
    connectionTimeout: 5_000,
    connectionAcquisitionTimeout: 10_000,
    userAgent: 'graph-packets',
    telemetryDisabled: true,
  })
  extendBolt(driver)
  let schema: Promise<void> | null = null
  let answeredAt = Date.now()

  async function once(statement: ModelStatement | readonly ModelStatement[]): Promise<DatabaseRow[]> {
    const session = driver.session()
    const limit = { timeout: transactionLimitMs }
    const run = async ({ query, parameters }: ModelStatement, on: Pick<Transaction, 'run'>) => {
      const { records } = await timing('query', async () => on.run(query, parameters), boltOutcome, observe)
      answeredAt = Date.now()
      return records.map((record): DatabaseRow => [...record.values()])
    }
    try {
      if (!Array.isArray(statement)) {
        const alone = { run: (query: string, parameters: object) => session.run(query, parameters, limit) }
        return await run(statement as ModelStatement, alone as Pick<Transaction, 'run'>)
      }
      const transaction = session.beginTransaction(limit)
      const rows: DatabaseRow[] = []
      for (const one of statement) rows.push(...(await run(one, transaction)))
      await transaction.commit()
      return rows
    } finally {
      // Not awaited: the answer need not wait until the connection is reset and returned to the pool.
      session.close().catch(() => {})
    }
  }

  async function withRetries(statement: () => ModelStatement | readonly ModelStatement[]): Promise<DatabaseRow[]> {
    let violations = 0
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(statement())
      } catch (error) {
        // The duplicate value may be a generated id. The next statement has another id, so retry once.
        const isRetried = isTransient(error) || (isViolation(error) && ++violations === 1)
        if (attempt === mostAttempts || !isRetried) throw error
        await delay(Math.random() * 10 * 2 ** attempt)
      }
    }
  }

  const schemaReady = () => {
    if (Date.now() - answeredAt > pauseMs) schema = null
    schema ??= createSchema((query) => withRetries(() => ({ query, parameters: {} }))).catch((error) => {
      schema = null
      throw error
    })
    return schema
  }

  async function guarded(work: () => Promise<DatabaseRow[]>): Promise<DatabaseRow[]> {
    try {
      return await inTime(work())
    } catch (error) {
      const reported = translated(error)
      // Recheck the schema, as after a pause.
      if (reported instanceof AppError) schema = null
      throw reported
    }
  }

  schemaReady().catch((error) => {
    log.warn({ err: error }, 'the manager database does not answer; its constraints are created when it does')
  })
  return {
    read: (statement) => guarded(() => withRetries(() => statement)),
    write: (statement) => guarded(() => schemaReady().then(() => withRetries(statement))),
    close: () => driver.close(),
  }
}

/** The driver waits indefinitely for a server that holds a connection but does not respond. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(errors.managerAway()), answerLimitMs)
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
