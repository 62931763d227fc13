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

export const warn = ({ stderr }: Context, message: string): void => void stderr.write(`${message}\n`)

/** Writes the result of a command: a text, or with `--json` one object. */
export function printResult({ stdout }: Context, asJson: boolean | undefined, value: object, text: string): void {
  const result = asJson ? JSON.stringify(value) : text
  if (result !== '') stdout.write(`${result}\n`)
}
