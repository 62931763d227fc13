import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const root = join(import.meta.dirname, '../../..')

/** A command of the project, run as a new user would, with the npm and Node.js of the machine. */
export interface Npm extends AsyncDisposable {
  output(): string
  exitCode: Promise<number | null>
  /** Waits until the output has a line that starts with this text. @returns the rest of the line */
  line(start: string, limitMs?: number): Promise<string>
  /** Ctrl-C. */
  interrupt(): void
}

/** Runs npm in an environment that has only PATH, HOME and these variables: in particular, no locale. */
export function npm(words: readonly string[], variables: Record<string, string> = {}): Npm {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const env = { PATH: folders.join(delimiter), HOME: process.env.HOME, ...variables } as NodeJS.ProcessEnv
  const child = spawn('npm', words, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  let hasEnded = false
  exitCode.then(() => (hasEnded = true))
  const signal = (name: NodeJS.Signals) => {
    if (!hasEnded) process.kill(-(child.pid as number), name)
  }
  return {
    output: () => output,
    exitCode,
    async line(start, limitMs = 240_000) {
      for (const deadline = Date.now() + limitMs; Date.now() < deadline && !hasEnded; await delay(50)) {
        const found = output
          .split('\n')
          .slice(0, -1)
          .find((line) => line.startsWith(start))
        if (found !== undefined) return found.slice(start.length).trim()
      }
      throw new Error(`npm ${words.join(' ')} printed no line "${start}":\n${output}`)
    },
    interrupt: () => signal('SIGINT'),
    async [Symbol.asyncDispose]() {
      signal('SIGINT')
      await Promise.race([exitCode, delay(60_000, undefined, { ref: false })])
      signal('SIGKILL')
    },
  }
}
