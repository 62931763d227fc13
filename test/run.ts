import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * All checks and tests, fastest failures first; `npm test -- <filter>` runs only matching test files. `--all`
 * (`npm run test:all`) runs the long forms.
 */
const root = join(import.meta.dirname, '..')
const results = join(root, '.local/test-results.json')
const isLong = process.argv.includes('--all')
const filters = process.argv.slice(2).filter((word) => word !== '--all')

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'check', '.'],
  ['types', 'tsc', '--noEmit'],
  ['dead code', 'knip'],
]

// The shebang lines look up `node`, which must be the one that runs this, whatever the machine has installed.
const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)

// Shared compile cache for the hundreds of programs that tests start.
const compiled = { NODE_COMPILE_CACHE: join(root, '.local/compile-cache') }

function runs(command: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  const program = join(root, 'node_modules/.bin', command)
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, PATH: path, ...compiled, ...env },
  })
  return status === 0
}

function closingLine(): string {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, 'utf8'))
  const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : ''
  return `${numPassedTests} passed, ${numFailedTests} failed${skipped}`
}

for (const [name, command, ...args] of filters.length === 0 ? checks : []) {
  console.log(`check: ${name}`)
  if (!runs(command, args)) {
    console.error(`the check failed: ${name}`)
    process.exit(1)
  }
}
mkdirSync(join(root, '.local'), { recursive: true })
rmSync(results, { force: true })
const env = { TEST_RESULTS: results, LONG_TESTS: isLong ? '1' : '' }
const isGreen = runs('vitest', ['run', '--config', 'test/vitest.config.ts', ...filters], env)
console.log(closingLine())
process.exitCode = isGreen ? 0 : 1
