import { AppError } from './app-error.ts'

/** What a program does after Redis refused a command, or did not answer. */
interface Refusal {
  /** Errors of one cause are logged ten times a minute at most. */
  cause: string
  /**
   * - `again`: the command did not reach Redis, or was lost with its connection, which is being made again.
   * - `later`: Redis cannot do it now, and may soon.
   * - `reconnect`: this server takes no writes. The same address may now lead to another server.
   * - `operator`: repeating does not help until somebody changes Redis or its user. No program starts, and running ones
   *   try again slowly, because rights may come back.
   */
  remedy: 'again' | 'later' | 'reconnect' | 'operator'
}

const refusals: readonly (Refusal & { text: { test(message: string): boolean } })[] = [
  // A replica, or a primary that is cut off from its replicas. `UNBLOCKED` ends a wait when a primary becomes a replica.
  { cause: 'role', remedy: 'reconnect', text: /\b(READONLY|MASTERDOWN|NOREPLICAS|UNBLOCKED)\b/ },
  { cause: 'full', remedy: 'later', text: /\bOOM\b/ },
  { cause: 'busy', remedy: 'later', text: /\b(LOADING|BUSY|MISCONF)\b|max number of clients/ },
  // In Redis 6.2 a script's refusals have no code of their own.
  {
    cause: 'rights',
    remedy: 'operator',
    text: /\b(NOPERM|NOAUTH|WRONGPASS)\b|ACL failure in script|user executing the script can't|unknown (redis )?command/i,
  },
  { cause: 'cluster', remedy: 'operator', text: /\b(CROSSSLOT|MOVED|CLUSTERDOWN)\b|non local key/ },
  {
    cause: 'connection',
    remedy: 'again',
    text: /connection is closed|sentinels are unreachable|stream isn't writeable|command timed out|max retries per request|socket timeout\. expecting data/i,
  },
]

/** What an error of Redis or its client means; null: a mistake of ours, or no error of Redis. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof RedisRefusal) return refusalOf(error.cause)
  // Its message may quote any text of a client or an origin, such as the label `BUSY`.
  if (error instanceof AppError) return null
  return error instanceof Error ? (refusals.find(({ text }) => text.test(error.message)) ?? null) : null
}

/** Whether Redis answered a command with an error. An unknown script is not one, because the client then sends it. */
export const isErrorReply = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError' && !error.message.startsWith('NOSCRIPT')

/** Redis refuses a command that the work needs. */
export class RedisRefusal extends Error {
  readonly command: string

  constructor(command: string, cause: unknown) {
    super(`Redis refuses ${command.toUpperCase()}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    this.command = command.toUpperCase()
  }
}

const socketCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/** The cause by which log lines about an error are limited; null: they are not. */
export function repeatedCause(error: unknown): string | null {
  if (error instanceof AppError && error.code === 'storeAway') {
    const { code, message } = (error.cause ?? {}) as { code?: string; message?: string }
    return `store ${code ?? message}`
  }
  const { code, address, hostname, port } = (error ?? {}) as {
    code?: string
    address?: string
    hostname?: string
    port?: number
  }
  if (code !== undefined && socketCodes.includes(code)) return `${code} ${address ?? hostname ?? ''}:${port ?? ''}`
  return refusalOf(error)?.cause ?? null
}
