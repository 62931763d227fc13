import { Neo4jError } from 'neo4j-driver'
import * as errors from '../errors/catalogue.ts'

/** Two records would share a name, a key or an end. */
export class DuplicateError extends Error {}

/**
 * May the same transaction succeed when it is run again? The server has undone it: a deadlock, a lock not had in time, a
 * record that another one deleted under it, schema changes that met. An id that is taken gets another number.
 */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Neo4jError)) return false
  if (isTakenId(error)) return true
  return /^Neo\.(TransientError\.Transaction|ClientError\.Statement\.EntityNotFound|DatabaseError\.Schema)/.test(
    error.code,
  )
}

const isViolation = ({ code }: Neo4jError) => code === 'Neo.ClientError.Schema.ConstraintValidationFailed'
// The code is that of any uniqueness. What the message says before it comes to the value is the database's own.
const isTakenId = (error: Neo4jError) => isViolation(error) && takenId.test(error.message)
const takenId = /^Node\(\d+\) already exists with label `\w+` and property `id` = \d+$/

/**
 * The driver's errors in the words of the catalogue. Whatever is not the fault of a query is the database's: away,
 * starting, stopping, too busy, or refusing our credentials; the log has its own text.
 */
export function translated(error: unknown): unknown {
  if (!(error instanceof Neo4jError)) return error
  if (isViolation(error)) return new DuplicateError('', { cause: error })
  if (/OutOfMemory/.test(error.code)) return errors.managerMemoryLimit(error)
  if (/^Neo\.ClientError\.Transaction\.TransactionTimedOut/.test(error.code)) return errors.managerTimeLimit(error)
  const isOurs = /^Neo\.ClientError\.(?!Security|Transaction|Database)/.test(error.code)
  return isOurs ? error : errors.managerAway(error)
}
