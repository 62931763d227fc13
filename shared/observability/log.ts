import { type Logger, pino } from 'pino'
import { loggedError } from './logged-error.ts'

export type { Logger }

/**
 * JSON lines on stdout. Errors are logged with their causes but never with request bodies, which contain credentials.
 * Redaction by name is the last line of defence; the first is not to log secrets.
 */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
    base: { pid: process.pid },
    serializers: { err: loggedError },
    redact: { paths: ['*.credentials', '*.password', '*.authorization', 'credentials', 'password', 'authorization'] },
  })
}
