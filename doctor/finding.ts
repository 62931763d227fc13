import type { Config } from '../shared/config/settings.ts'

/** One line of output: what was checked, its state, and how to fix it. Never contains a secret. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail'
  about: string
  says: string
}

export type Tell = (finding: Finding) => void

/** Checks one dependency with the programs' own settings, and reports findings as it goes. */
export type Check = (config: Config, tell: Tell) => Promise<void> | void

export const ok = (about: string, says: string): Finding => ({ level: 'ok', about, says })
export const warn = (about: string, says: string): Finding => ({ level: 'warn', about, says })
export const fail = (about: string, says: string): Finding => ({ level: 'fail', about, says })

export const lineOf = ({ level, about, says }: Finding): string => `${level.padEnd(4)}  ${about}: ${says}`

/** The code of an error or of its cause. Messages are never shown: they may quote an address with a password. */
export function codeOf(thrown: unknown): string {
  const chain: unknown[] = []
  for (let at = thrown; at instanceof Error && chain.length < 10; at = at.cause) chain.push(at)
  const codes = chain.flatMap((at) => {
    const { code, name } = at as { code?: unknown; name: string }
    return typeof code === 'string' && name !== 'AppError' ? [code] : []
  })
  return codes[0] ?? (thrown instanceof Error ? thrown.name : 'unknown')
}
