import type { Config } from '../shared/config/config.ts'

/** One line of output: what was checked, its state, and how to fix it. Never contains a secret. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail'
  subject: string
  message: string
}

/** Checks one dependency with the programs' own settings, and reports findings as it goes. */
export type Check = (config: Config) => AsyncIterable<Finding> | Iterable<Finding>

export const ok = (subject: string, message: string): Finding => ({ level: 'ok', subject, message })
export const warn = (subject: string, message: string): Finding => ({ level: 'warn', subject, message })
export const fail = (subject: string, message: string): Finding => ({ level: 'fail', subject, message })

export const lineOf = ({ level, subject, message }: Finding): string => `${level.padEnd(4)}  ${subject}: ${message}`

/** The code of an error or of its cause. Messages are never shown: they may quote an address with a password. */
export function codeOf(thrown: unknown): string {
  for (let [at, depth] = [thrown, 0]; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const { code, name } = at as { code?: unknown; name: string }
    if (typeof code === 'string' && name !== 'AppError') return code
  }
  return thrown instanceof Error ? thrown.name : 'unknown'
}
