import { spawnSync } from 'node:child_process'
import {
  accessSync,
  appendFileSync,
  constants,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { startOf } from '../../../dev/service.ts'
import { emptyDirectory } from '../../support/clients/cli.ts'

const root = join(import.meta.dirname, '../../..')

/** A copy of what was built, without sources and packages, as in the image. */
function copyOfDist(): string {
  const directory = emptyDirectory()
  cpSync(join(root, 'dist'), join(directory, 'dist'), { recursive: true })
  return directory
}

function start(cwd: string, program: 'api' | 'worker', env: Record<string, string> = {}) {
  const { args, variables } = startOf(program, true)
  const options = { cwd, env: { PATH: process.env.PATH ?? '', ...variables, ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { ...options, timeout: 60_000 })
  return { status, output: stdout + stderr }
}

test.each(['api', 'worker'] as const)(
  'the built %s needs nothing but its folder, and checks its settings',
  (program) => {
    const { status, output } = start(copyOfDist(), program)
    expect(status).toBe(1)
    expect(output).toContain('REDIS_URL: required')
  },
)

test('no built program holds a letter beyond ASCII, for which V8 would take twice the memory', () => {
  const programs = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.mjs'))
  expect(programs.length).toBe(4)
  const isAscii = (name: string) => readFileSync(join(root, 'dist', name)).every((byte) => byte < 0x80)
  expect(programs.filter((name) => !isAscii(name))).toEqual([])
})

test('the built client can be executed', () => {
  accessSync(join(root, 'dist/packets.mjs'), constants.X_OK)
})

test('a built program whose file has changed, or that stands beside other sources, does not start', () => {
  const directory = copyOfDist()
  mkdirSync(join(directory, 'worker'))
  writeFileSync(join(directory, 'worker/main.ts'), '')
  expect(start(directory, 'worker')).toEqual({
    status: 1,
    output: 'dist/worker.mjs was built from other sources: run `npm run build`\n',
  })
  appendFileSync(join(directory, 'dist/worker.mjs'), '\n')
  expect(start(directory, 'worker')).toEqual({
    status: 1,
    output: 'dist/worker.mjs is not as it was built: run `npm run build`\n',
  })
})

test('a built API without a file of Swagger UI does not start, and its log names the source of the error', () => {
  const directory = copyOfDist()
  rmSync(join(directory, 'dist/swagger-ui/swagger-ui.css'))
  const { status, output } = start(directory, 'api', { ...inject('service').env, AUTH_DISABLED: 'true' })
  expect(status).toBe(1)
  expect(output).toContain('dist/swagger-ui/swagger-ui.css')
  expect(output).toContain('(api/http/pages/docs.ts:')
})
