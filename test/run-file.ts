import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')

/** Runs one test file with the stack, passing its options in an environment variable; exits with its status. */
export function runFile(file: string, asked: { name: 'FUZZ' | 'SOAK' | 'TRIED'; values: object }): void {
  const { status } = spawnSync(join(bin, 'vitest'), ['run', '--config', 'test/vitest.config.ts', file], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // The shebang lines look up `node`, which must be the one that runs this.
    env: {
      ...process.env,
      PATH: [bin, process.env.PATH].join(delimiter),
      [asked.name]: JSON.stringify(asked.values),
    },
  })
  process.exitCode = status ?? 1
}
