import { readTokens } from '../shared/auth/static-tokens.ts'
import { parseConsole } from '../shared/config/console.ts'
import { readPage } from './http/pages/console.ts'

/** What is wrong with the files that the settings of an API name or need, a line each. Contract 11. */
export function* problemsOfFiles(
  { AUTH_TOKENS: tokens, CONSOLE: console }: Record<string, string | undefined>,
  consoleDirectory?: string,
) {
  if (tokens !== undefined) yield* problemOf(() => readTokens(tokens))
  if (console !== undefined && isOn(console)) yield* problemOf(() => readPage(consoleDirectory))
}

function* problemOf(read: () => unknown): Generator<string> {
  try {
    read()
  } catch (error) {
    yield (error as Error).message
  }
}

function isOn(console: string): boolean {
  try {
    return parseConsole(console) !== null
  } catch {
    // The settings report an invalid value themselves.
    return false
  }
}
