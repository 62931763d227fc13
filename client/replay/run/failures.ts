import { Neo4jError } from 'neo4j-driver'
import { UnknownBoltVersion } from '../../../packet/packstream/handshake-answer.ts'
import { ReplayError } from '../errors.ts'

/** What to do about a transaction that failed. */
export type Remedy = 'halve' | 'reconnect' | 'repeat' | 'find the pair' | 'give up'

/** With `neo4j://` the driver says only that no server routes; the cause says why. */
const unknownVersionOf = (error: unknown): UnknownBoltVersion | null =>
  [error, (error as Error | null)?.cause].find((one) => one instanceof UnknownBoltVersion) ?? null

const codeOf = (error: unknown): string => (error as { code?: unknown } | null)?.code?.toString() ?? ''

/** Errors that one pair can cause. Other errors that are not retried are the target's, and would affect every pair. */
const ofPair =
  /^Neo\.ClientError\.(Statement\.(?!AccessMode$)|Schema\.|General\.InvalidArguments$|Transaction\.(TransactionHookFailed|TransactionEventHandlerFailed|TransactionValidationFailed|TransactionTimedOut)$)/

/** Neo4j 5 and 3.5 report a value that an index cannot hold, such as an id of 9,000 bytes, as a fault of the database. */
const ofIndexedValue =
  /^Neo\.DatabaseError\.(Statement\.ExecutionFailed|General\.UnknownError): Property value (is too large|size:)/

/** Neo4j 4.1 refuses over Bolt 3 the bookmarks that it has given. */
export const isRefusedBookmark = (error: unknown): boolean =>
  /^Neo\.ClientError\.Transaction\.InvalidBookmark/.test(codeOf(error))

/** Decides by the code of the error. */
export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  if (unknownVersionOf(error)) return 'give up'
  // These errors are retryable too, but the same batch would need the same memory.
  if (/\.(MemoryPoolOutOfMemoryError|TransactionOutOfMemoryError|OutOfMemoryError)$/.test(code)) return 'halve'
  if (/^(ServiceUnavailable|SessionExpired)$|\.DatabaseUnavailable$/.test(code)) return 'reconnect'
  // The next session sends no bookmark.
  if (isRefusedBookmark(error)) return 'repeat'
  if (error instanceof Neo4jError && error.retryable) return 'repeat'
  if (error instanceof MiscountedRows) return 'find the pair'
  return ofPair.test(code) || ofIndexedValue.test(describeFailure(error)) ? 'find the pair' : 'give up'
}

// The message may quote a value of thousands of characters.
const longestMessage = 1_000

/** How the driver says that the server speaks Bolt 3 or earlier. It names a version of Neo4j that is not enough. */
const namesNoDatabase = /does not support multiple databases/

/**
 * The code and the message, for people. Neo4j gives the reason of some failures in a line after the first. Other
 * servers may give none, or only the description of a status.
 */
export function describeFailure(error: unknown): string {
  const { message = String(error), gqlStatusDescription } = (unknownVersionOf(error) ?? error) as {
    message?: string
    gqlStatusDescription?: string
  }
  if (namesNoDatabase.test(message))
    return 'it speaks Bolt 3 or earlier, in which no database can be named; omit --database'
  const words = message.trim() || gqlStatusDescription?.trim() || 'the server gives no reason'
  const lines = words.slice(0, longestMessage).split('\n')
  const line = lines.flatMap((one) => one.trim() || []).join(' ')
  const code = codeOf(error)
  return code.startsWith('Neo.') ? `${code}: ${line}` : line
}

/** Whether the transaction took too long for the target; no single pair need be the reason. */
export const isTimedOut = (error: unknown): boolean => /\.TransactionTimedOut/.test(codeOf(error))

/** Whether another element of the target has a value that must be unique. Other pairs of the packet may free it. */
export const isTaken = (error: unknown): boolean =>
  codeOf(error) === 'Neo.ClientError.Schema.ConstraintValidationFailed' &&
  / already exists with /.test((error as Error).message)

/** Whether the error is due to an interruption. */
export const isAbort = (error: unknown): error is Error => error instanceof Error && error.name === 'AbortError'

/** The error for a failure that no pair has caused. Returns an interruption, and a finished message, unchanged. */
export const targetFailed = (error: unknown): Error =>
  isAbort(error) || error instanceof ReplayError
    ? error
    : new ReplayError('failed', `the target failed: ${describeFailure(error)}`, { cause: error })

/** Thrown inside a transaction that touched more or fewer elements than it has rows, and rolls it back. */
export class MiscountedRows extends Error {}
