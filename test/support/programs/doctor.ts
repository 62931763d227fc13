import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { inject } from 'vitest'
import { fileOf } from '../../../dev/service.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs the doctor with the service's settings overridden by `change`; undefined unsets a variable. */
export async function runDoctor(change: Record<string, string | undefined> = {}) {
  const settings = Object.entries({ ...inject('service').env, ...change })
  const env = Object.fromEntries(settings.filter(([, value]) => value !== undefined))
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    const options = { cwd: root, env: { PATH: process.env.PATH, ...env } as NodeJS.ProcessEnv, timeout: 110_000 }
    execFile(process.execPath, [fileOf('doctor')], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, output: stdout + stderr })
    })
  })
  const lines = output.trimEnd().split('\n')
  return { code, output, lines, notOk: lines.filter((line) => !line.startsWith('ok ')) }
}

/** Ignores Redis warnings: the stack's Redis has no persistence by design, which another test covers. */
export async function failuresOf(change: Record<string, string | undefined>) {
  const { code, notOk, output } = await runDoctor(change)
  return { code, output, told: notOk.filter((line) => !line.startsWith('warn  redis ')) }
}
