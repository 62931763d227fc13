import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { least } from '../least-environment.ts'

const root = join(import.meta.dirname, '../../..')
const starting = join(root, 'shared/lifecycle/start-program.ts')

const program = `
const { startProgram } = await import(${JSON.stringify(starting)})
await startProgram('worker', async () => {
  const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'auth', args: ['canary-secret'] } })
  setImmediate(() => HOW)
})`

test.each([
  ['thrown', '{ throw error }'],
  ['rejected', 'Promise.reject(error)'],
])('an uncaught error, %s, ends the program and is logged without its extra properties', (_what, how) => {
  const args = ['--input-type=module', '-e', program.replace('HOW', how)]
  const env = { PATH: process.env.PATH ?? '', ...least }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stdout).toContain('WRONGPASS')
  expect(stdout + stderr).not.toContain('canary-secret')
})
