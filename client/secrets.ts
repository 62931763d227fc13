import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Context } from './context.ts'
import { cannotBe, usageError } from './exit.ts'

/** Where a secret may come from, apart from a terminal: a file that an option names, or a variable. */
interface Sources {
  /** For messages and for the question: `the token`. */
  what: string
  option: string
  file: string | undefined
  variable: 'PACKETS_TOKEN' | 'PACKETS_TARGET_PASSWORD'
}

/** Reads a secret from its file, its variable, or a terminal, in this order. @throws Failure (usage) if there is none */
export async function readSecret(context: Context, { what, option, file, variable }: Sources): Promise<string> {
  if (file !== undefined) return readSecretFile(option, file)
  const given = context.environment[variable]
  if (given !== undefined) return given
  const { stdin, stderr } = context
  if (!stdin.isTTY || !stderr.isTTY) throw usageError(`${what} is missing: set ${variable} or pass ${option}`)
  stderr.write(`Enter ${what}: `)
  const answer = await ask(context).finally(() => stderr.write('\n'))
  if (answer === '') throw usageError(`${what} is missing`)
  return answer
}

/** The text of a file without its last line break. */
async function readSecretFile(option: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(cannotBe('read', `${option}: ${file}`))
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw usageError(`${option}: ${file} is empty`)
  return secret
}

/** Reads a line from the terminal without echo; empty if the terminal ends. */
async function ask({ stdin, signal }: Context): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  // In raw mode Ctrl-C is a key, not a signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    return await Promise.race([lines.question('', { signal }), ended])
  } finally {
    lines.close()
  }
}
