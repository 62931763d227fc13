import { Neo4jError } from 'neo4j-driver'
import { UnknownBoltVersion } from '../../packet/packstream/handshake-answer.ts'
import * as errors from '../errors/catalogue.ts'

/** A uniqueness violation: two records would share a name, a key or their ends. */
export class DuplicateError extends Error {}

/**
 * Whether the same transaction may succeed on retry. The server has rolled it back: a deadlock, a lock timeout, a
 * record deleted concurrently, concurrent schema changes.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Neo4jError)) return false
  return /^Neo\.(TransientError\.Transaction|ClientError\.Statement\.EntityNotFound|DatabaseError\.Schema)/.test(
    error.code,
  )
}

/** Whether a uniqueness constraint was violated. The code does not say which constraint. */
export const isViolation = (error: unknown): boolean =>
  error instanceof Neo4jError && error.code === 'Neo.ClientError.Schema.ConstraintValidationFailed'

/**
 * Translates driver errors into the catalogue's. Everything that is not the fault of a query is a database outage:
 * unavailable, starting, stopping, too busy, of no known version of Bolt, or refusing our credentials. The log has the
 * original text.
 */
export function translated(error: unknown): unknown {
  if (error instanceof UnknownBoltVersion) return errors.managerAway(error)
  if (!(error instanceof Neo4jError)) return error
  if (isViolation(error)) return new DuplicateError('', { cause: error })
  if (/OutOfMemory/.test(error.code)) return errors.managerMemoryLimit(error)
  if (/^Neo\.ClientError\.Transaction\.TransactionTimedOut/.test(error.code)) return errors.managerTimeLimit(error)
  const isOurs = /^Neo\.ClientError\.(?!Security|Transaction|Database)/.test(error.code)
  return isOurs ? error : errors.managerAway(error)
}
