import { Neo4jError } from 'neo4j-driver'
import * as errors from '../errors/catalogue.ts'

/** A uniqueness violation: two records would share a name, a key or their ends. */
export class DuplicateError extends Error {}

/**
 * Whether the same transaction may succeed on retry. The server has rolled it back: a deadlock, a lock timeout, a
 * record deleted concurrently, concurrent schema changes. A duplicate id is generated anew.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Neo4jError)) return false
  if (isTakenId(error)) return true
  return /^Neo\.(TransientError\.Transaction|ClientError\.Statement\.EntityNotFound|DatabaseError\.Schema)/.test(
    error.code,
  )
}

const isViolation = ({ code }: Neo4jError) => code === 'Neo.ClientError.Schema.ConstraintValidationFailed'
// The code covers every uniqueness violation. The message up to the value is the database's text, not a client's.
const isTakenId = (error: Neo4jError) => isViolation(error) && takenId.test(error.message)
const takenId = /^Node\(\d+\) already exists with label `\w+` and property `id` = \d+$/

/**
 * Translates driver errors into the catalogue's. Everything that is not the fault of a query is a database outage:
 * unavailable, starting, stopping, too busy, or refusing our credentials. The log has the original text.
 */
export function translated(error: unknown): unknown {
  if (!(error instanceof Neo4jError)) return error
  if (isViolation(error)) return new DuplicateError('', { cause: error })
  if (/OutOfMemory/.test(error.code)) return errors.managerMemoryLimit(error)
  if (/^Neo\.ClientError\.Transaction\.TransactionTimedOut/.test(error.code)) return errors.managerTimeLimit(error)
  const isOurs = /^Neo\.ClientError\.(?!Security|Transaction|Database)/.test(error.code)
  return isOurs ? error : errors.managerAway(error)
}
