import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openRun } from '../dev/stack/run.ts'
import { buildPrograms } from '../dev/tools/build-programs.ts'
import { closingLine, type Ring, resultsOf } from './rings.ts'
import { isBuilt, versityGw } from './stores/go-server.ts'
import { startVersityGw } from './stores/servers.ts'

/**
 * `npm test` runs the static checks and the inner ring of tests. `--rest` (`npm run test:rest`) runs the outer ring, and
 * `--all` (`npm run test:all`) the static checks and both rings in their long forms. With `-- <words>` only the test
 * files run whose path holds one of the words, without static checks.
 */
const root = join(import.meta.dirname, '..')
const flags = ['--rest', '--all']
const isRest = process.argv.includes('--rest')
const isLong = process.argv.includes('--all')
const filters = process.argv.slice(2).filter((word) => !flags.includes(word))
const ring: Ring = isRest ? 'outer' : 'inner'
const results = join(root, resultsOf[ring])

const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'check', '.'],
  ['types', 'tsc', '--noEmit'],
  ['types of the console', 'tsc', '--noEmit', '-p', 'console'],
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

/** Runs the checks together, and tells what each said when it has ended. @returns the names of those that failed */
async function failedChecks(): Promise<string[]> {
  const failed = await Promise.all(
    checks.map(async ([name, command, ...args]) => {
      const child = spawn(join(root, 'node_modules/.bin', command), args, {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, PATH: path },
      })
      const said = Promise.all([text(child.stdout), text(child.stderr)])
      const [code] = await once(child, 'close')
      console.log(`check: ${name}\n${(await said).join('').trimEnd()}`)
      return code === 0 ? [] : [name]
    }),
  )
  return failed.flat()
}

const failed = isRest || filters.length > 0 ? [] : await failedChecks()
if (failed.length > 0) {
  console.error(`these checks failed: ${failed.join(', ')}`)
  process.exit(1)
}
mkdirSync(join(root, '.local'), { recursive: true })

const prepareLimitMs = 8 * 60_000

/** Builds the VersityGW of the long forms, but not for a few files, and starts it once. @returns why there is none, or null */
async function prepareVersityGw(): Promise<string | null> {
  if (filters.length > 0 && !isBuilt(versityGw))
    return 'it is not built yet, which `npm run test:all` without words does'
  const run = openRun(join(root, '.local/run'), console.log)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void run.stop()
  }, prepareLimitMs)
  try {
    // Starts only on a file system with extended attributes.
    await startVersityGw(run)
    return null
  } catch (error) {
    return isLate ? `it was not built within ${prepareLimitMs / 60_000} minutes` : (error as Error).message
  } finally {
    clearTimeout(timer)
    await run.stop()
  }
}

// The outer ring runs the programs as they are shipped.
const building = ring === 'outer' || isLong ? buildPrograms() : null
const withoutVersityGw = isLong ? await prepareVersityGw() : 'only the long forms have one'
await building
rmSync(results, { force: true })
const isGreen = runs('vitest', ['run', '--config', 'test/vitest.config.ts', ...filters], {
  TEST_RESULTS: results,
  TEST_RING: isLong ? '' : ring === 'outer' && filters.length > 0 ? 'outer, named files' : ring,
  LONG_TESTS: isLong ? '1' : '',
  VERSITYGW: withoutVersityGw === null ? 'built' : '',
  PROGRAMS: ring === 'outer' || isLong ? 'built' : '',
})
if (isLong && withoutVersityGw !== null) console.log(`VersityGW was not run: ${withoutVersityGw}`)
console.log(closingLine(ring))
process.exitCode = isGreen ? 0 : 1
