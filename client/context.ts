import type { Readable, Writable } from 'node:stream'
import type { Environment } from './environment.ts'

/** A stream that may be a terminal. */
export type Input = Readable & { isTTY?: boolean }
export type Output = Writable & { isTTY?: boolean }

/** The parts of the process that a command uses. */
export interface Context {
  environment: Environment
  stdin: Input
  /** Results only. */
  stdout: Output
  /** Progress and messages. */
  stderr: Output
  /** Aborts when the process receives a signal to stop. */
  signal: AbortSignal
}

/**
 * One line that is safe to show on a terminal. Control characters, line breaks and characters that change the direction
 * of text become escapes such as `\u001b`: texts contain names and ids from a database, which could otherwise change
 * what the terminal shows or does, or look like further lines.
 */
export const printableLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]/gu, escaped)

/** The same for a text whose line feeds and tabs are intended. JSON has the other characters only in strings. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]|\p{Bidi_C}/gu, escaped)

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

export const warn = ({ stderr }: Context, message: string): void => void stderr.write(`${printableLine(message)}\n`)

export const printLines = (to: Output, lines: readonly string[]): void =>
  void to.write(lines.map((line) => `${printableLine(line)}\n`).join(''))

/** Writes the result of a command: lines, or with `--json` one object. */
export function printResult(
  { stdout }: Context,
  asJson: boolean | undefined,
  value: object,
  lines: readonly string[],
): void {
  if (asJson) stdout.write(`${printable(JSON.stringify(value))}\n`)
  else printLines(stdout, lines)
}
