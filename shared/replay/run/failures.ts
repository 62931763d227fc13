import { Neo4jError } from 'neo4j-driver'

/** What to do about a transaction that failed. */
export type Remedy = 'halve' | 'reconnect' | 'repeat' | 'find the pair' | 'give up'

const codeOf = (error: unknown): string => (error as { code?: unknown } | null)?.code?.toString() ?? ''

/** Decides by the code of the error; everything that one pair can cause is the pair's. */
export function remedyFor(error: unknown): Remedy {
  const code = codeOf(error)
  // Retriable too, but the same batch would need the same memory.
  if (/\.(MemoryPoolOutOfMemoryError|TransactionOutOfMemoryError|OutOfMemoryError)$/.test(code)) return 'halve'
  if (/^(ServiceUnavailable|SessionExpired)$|\.DatabaseUnavailable$/.test(code)) return 'reconnect'
  if (error instanceof Neo4jError && error.retryable) return 'repeat'
  if (error instanceof MiscountedRows) return 'find the pair'
  return code.startsWith('Neo.') && !code.startsWith('Neo.ClientError.Security.') ? 'find the pair' : 'give up'
}

/** The code and the first line of the message, for people. */
export function describeFailure(error: unknown): string {
  const { message = String(error) } = error as { message?: string }
  const line = message.split('\n', 1)[0]?.slice(0, 300) ?? ''
  const code = codeOf(error)
  return code.startsWith('Neo.') ? `${code}: ${line}` : line
}

/** Thrown inside a transaction that touched more or fewer elements than it has rows, and rolls it back. */
export class MiscountedRows extends Error {}
