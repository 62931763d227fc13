import { setTimeout as delay } from 'node:timers/promises'
import neo4j, { type Transaction } from 'neo4j-driver'
import type { Config } from '../config/config.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { Logger } from '../observability/log.ts'
import { boltOutcome, type ObserveCall, timing } from '../observability/timed.ts'
import { isPassing, translated } from './failures.ts'
import { createSchema } from './schema.ts'
import type { Statement } from './statements.ts'

export type Row = readonly unknown[]

/** The service's own database of models. Every call is one query, one transaction and one round trip. */
export interface ManagerDatabase {
  /** @throws managerAway (503) */
  read(statement: Statement): Promise<Row[]>
  /**
   * `statement` is made anew for each attempt. Several are one transaction, with the rows of all of them.
   * @throws managerAway (503), DuplicateError
   */
  write(statement: () => Statement | readonly Statement[]): Promise<Row[]>
  close(): Promise<void>
}

/** The server ends a transaction after the first, we stop waiting for a server that says nothing after the second. */
const [transactionLimitMs, answerLimitMs] = [30_000, 35_000]
const mostAttempts = 8
/** After a pause this long it may be another database that answers, a restored or an empty one. */
const pauseMs = 5_000

/**
 * Opens the database without waiting for it: it may be away now or later, the rest of the API works on. Its constraints
 * are created as soon as it is there, and no write comes before them.
 */
export function openManagerDatabase(
  { url, user, password }: NonNullable<Config['manager']>,
  log: Pick<Logger, 'warn'>,
  observe: ObserveCall = () => {},
): ManagerDatabase {
  const driver = neo4j.driver(url, user === undefined ? undefined : neo4j.auth.basic(user, password ?? ''), {
    // No number here is beyond 2^53: counters, and ids that we make.
    disableLosslessIntegers: true,
    // An answer is read whole anyway, so it is asked for whole: one round trip however long it is.
    fetchSize: -1,
    connectionTimeout: 5_000,
    connectionAcquisitionTimeout: 10_000,
    userAgent: 'graph-packets',
    telemetryDisabled: true,
  })
  let schema: Promise<void> | null = null
  let answeredAt = Date.now()

  async function once(statement: Statement | readonly Statement[]): Promise<Row[]> {
    const session = driver.session()
    const limit = { timeout: transactionLimitMs }
    const run = async ({ query, parameters }: Statement, on: Pick<Transaction, 'run'>) => {
      const { records } = await timing('query', async () => on.run(query, parameters), boltOutcome, observe)
      answeredAt = Date.now()
      return records.map((record): Row => [...record.values()])
    }
    try {
      if (!Array.isArray(statement)) {
        const alone = { run: (query: string, parameters: object) => session.run(query, parameters, limit) }
        return await run(statement as Statement, alone as Pick<Transaction, 'run'>)
      }
      const transaction = session.beginTransaction(limit)
      const rows: Row[] = []
      for (const one of statement) rows.push(...(await run(one, transaction)))
      await transaction.commit()
      return rows
    } finally {
      // Not awaited: the answer need not wait for the connection to be cleaned and given back.
      session.close().catch(() => {})
    }
  }

  async function untilPassed(statement: () => Statement | readonly Statement[]): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(statement())
      } catch (error) {
        if (attempt === mostAttempts || !isPassing(error)) throw error
        await delay(Math.random() * 10 * 2 ** attempt)
      }
    }
  }

  const schemaReady = () => {
    if (Date.now() - answeredAt > pauseMs) schema = null
    schema ??= createSchema((query) => untilPassed(() => ({ query, parameters: {} }))).catch((error) => {
      schema = null
      throw error
    })
    return schema
  }

  async function guarded(work: () => Promise<Row[]>): Promise<Row[]> {
    try {
      return await inTime(work())
    } catch (error) {
      const told = translated(error)
      // As after a pause.
      if (told instanceof AppError) schema = null
      throw told
    }
  }

  schemaReady().catch((error) => {
    log.warn({ err: error }, 'the manager database is away; its constraints are created when it is back')
  })
  return {
    read: (statement) => guarded(() => untilPassed(() => statement)),
    write: (statement) => guarded(() => schemaReady().then(() => untilPassed(statement))),
    close: () => driver.close(),
  }
}

/** The driver itself waits for ever for a server that holds a connection and says nothing. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(errors.managerAway()), answerLimitMs)
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
