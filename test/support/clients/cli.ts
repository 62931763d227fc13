import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { readEnvironment } from '../../../client/environment.ts'
import { run } from '../../../client/program.ts'
import { fileOf } from '../../../dev/service.ts'

const program = join(import.meta.dirname, '../../..', fileOf('client'))

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

type Variables = Record<string, string>

/** Runs a command line of the client in this process, with these variables and no others. */
export async function runCli(
  words: readonly string[],
  variables: Variables = {},
  input: string | Buffer = '',
): Promise<Ran> {
  const output = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof output) =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += chunk
        done()
      },
    })
  const code = await run(words, {
    environment: readEnvironment(variables),
    stdin: Readable.from([Buffer.from(input)]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    signal: new AbortController().signal,
  })
  return { code, ...output }
}

/** Runs the client as a process of its own. `during` is called once it runs. */
export function spawnCli(
  words: readonly string[],
  variables: Variables = {},
  {
    cwd,
    file = program,
    during = () => {},
  }: { cwd?: string; file?: string; during?: (child: ChildProcess) => void } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [file, ...words], { cwd, env: { PATH: process.env.PATH ?? '', ...variables } })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      output[name] += chunk
    })
  }
  child.stdin.end()
  during(child)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
}

/** An empty directory, removed when the test has finished. */
export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'packets-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}
