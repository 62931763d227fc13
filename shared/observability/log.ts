import { type Logger, pino } from 'pino'
import { repeatedCause } from '../errors/redis-refusal.ts'
import { createLineLimit } from './line-limit.ts'
import { loggedError } from './logged-error.ts'

export type { Logger }

/**
 * JSON lines on stdout. Errors are logged with their causes but never with request bodies, which contain credentials.
 * Redaction by name is the last line of defence; the first is not to log secrets. Lines about one refusal of Redis or
 * the store, or one unreachable address, are limited, because loops repeat them.
 */
export function createLog(name: string, level: string): Logger {
  const admit = createLineLimit()
  const fatal = pino.levels.values.fatal ?? Number.POSITIVE_INFINITY
  return pino({
    name,
    level,
    base: { pid: process.pid },
    serializers: { err: loggedError },
    redact: { paths: ['*.credentials', '*.password', '*.authorization', 'credentials', 'password', 'authorization'] },
    hooks: {
      logMethod([fields, ...more], write, level) {
        const { err } = (fields ?? {}) as { err?: unknown }
        // The last line of a program says why it ends.
        const cause = err === undefined || level >= fatal ? null : repeatedCause(err)
        const leftOut = cause === null ? 0 : admit(cause)
        if (leftOut === null) return
        write.apply(this, [leftOut === 0 ? fields : { ...(fields as object), linesLeftOut: leftOut }, ...more])
      },
    },
  })
}
