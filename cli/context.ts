import type { Readable, Writable } from 'node:stream'
import type { Environment } from './environment.ts'

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean }
export type Output = Writable & { isTTY?: boolean }

/** What a command gets of its process. */
export interface Context {
  environment: Environment
  stdin: Input
  /** Results only. */
  stdout: Output
  /** Progress and messages. */
  stderr: Output
  /** Aborts when the process is told to stop. */
  signal: AbortSignal
}

/**
 * A text as a terminal may show it: control characters but line feeds and tabs as `\u001b`. Names and ids of a database
 * stand in texts, and could change what a terminal shows, or does.
 */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const warn = ({ stderr }: Context, message: string): void => void stderr.write(`${printable(message)}\n`)

/** Writes the result of a command: a text, or with `--json` one object. */
export function printResult({ stdout }: Context, asJson: boolean | undefined, value: object, text: string): void {
  const result = asJson ? JSON.stringify(value) : printable(text)
  if (result !== '') stdout.write(`${result}\n`)
}
