import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import { startOf } from '../../../dev/service.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs a program with the service's settings until it exits. @returns its exit code and output. */
export async function outputOf(program: 'api' | 'worker', env: Record<string, string>) {
  const { args, variables } = startOf(program)
  const all = { PATH: process.env.PATH, ...variables, ...inject('service').env, LOG_LEVEL: 'trace', ...env }
  const child = spawn(process.execPath, args, { cwd: root, env: all })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await exited, output: out + err }
}
