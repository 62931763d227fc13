import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRun } from '../../dev/stack/run.ts'
import { type Ring, resultsOf } from '../rings.ts'
import { type Mutant, mutatedText, ringsOf, testFilesIn, unmatchedWords } from './mutant.ts'
import { mutants } from './mutants.ts'

/**
 * Makes mistakes in a copy of the project, one at a time, and runs the tests that should fail: `npm run mutate`, or
 * `npm run mutate -- shared/publish` for the files whose path holds one of the words.
 */
const root = join(import.meta.dirname, '../..')
const words = process.argv.slice(2)
const chosen = mutants.filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)))
const limitMs = 5 * 60_000

type Outcome = 'killed' | 'killed by the time limit' | 'survived' | 'no verdict'

/** How the tests ended, in the ring that decided it. */
interface Ended {
  outcome: Outcome
  ring: Ring
  tail: string
}

const run = openRun(join(root, '.local/mutate'), console.error)
const copy = join(run.directory, 'project')

function copyProject(): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  const files = listed.toString().split('\0')
  for (const file of files)
    if (file !== '' && existsSync(join(root, file)))
      cpSync(join(root, file), join(copy, file), { recursive: true, verbatimSymlinks: true })
  for (const name of ['node_modules', '.local/downloads']) {
    mkdirSync(join(root, name), { recursive: true })
    mkdirSync(join(copy, name, '..'), { recursive: true })
    symlinkSync(join(root, name), join(copy, name))
  }
}

/** Runs tests of one ring in the copy until the first one fails. */
async function testRing(name: string, filters: readonly string[], ring: Ring): Promise<Ended> {
  const command = join(copy, 'node_modules/.bin/node')
  const args = ['test/run.ts', ...(ring === 'outer' ? ['--rest'] : []), '--bail=1', ...filters]
  const tests = await run.start({ name: `${name}-${ring}`, command, args, cwd: copy })
  const exit = await Promise.race([tests.exited, sleep(limitMs, null, { ref: false })])
  const tail = tests.tail(30)
  if (exit === null) await tests.stop()
  if (exit === null) return { outcome: 'killed by the time limit', ring, tail }
  if (exit.code === 0) return { outcome: 'survived', ring, tail }
  // A run without a failed test says nothing of the mutant: a server may not have started.
  const results = join(copy, resultsOf[ring])
  const isFailed = existsSync(results) && JSON.parse(readFileSync(results, 'utf8')).numFailedTests > 0
  return { outcome: isFailed ? 'killed' : 'no verdict', ring, tail }
}

/** Runs the tests of the inner ring. If none of them fails, runs the outer ring. */
async function test(name: string, filters: readonly string[]): Promise<Ended> {
  let ended: Ended = { outcome: 'no verdict', ring: 'inner', tail: '' }
  for (const ring of ringsOf(filters, testFilesIn(copy))) {
    ended = await testRing(name, filters, ring)
    if (ended.outcome !== 'survived') break
  }
  return ended
}

async function outcomeOf(mutant: Mutant, number: number): Promise<Ended> {
  const file = join(copy, mutant.file)
  const text = readFileSync(file)
  const begun = Date.now()
  writeFileSync(file, mutatedText(mutant, copy))
  const ended = await test(`mutant-${number}`, mutant.tests)
  writeFileSync(file, text)
  const { outcome, ring } = ended
  const how = outcome.startsWith('killed') ? `${outcome} (${ring} ring)` : outcome
  console.log(`${how}, ${Math.round((Date.now() - begun) / 1_000)} s: ${mutant.file}: ${mutant.what}`)
  if (outcome === 'no verdict') console.log(ended.tail)
  return ended
}

async function main(): Promise<boolean> {
  if (chosen.length === 0) throw new Error(`no mutant is in a file whose path holds ${words.join(' or ')}`)
  copyProject()
  for (const mutant of chosen) mutatedText(mutant, copy)
  const unmatched = unmatchedWords(chosen, testFilesIn(copy))
  if (unmatched.length > 0) throw new Error(`no test file matches ${unmatched.join(', ')}`)
  const filters = [...new Set(chosen.flatMap(({ tests }) => tests))]
  console.log(`${chosen.length} mutants; first the tests without any`)
  const { outcome, tail } = await test('unmutated', filters)
  if (outcome !== 'survived') throw new Error(`the tests fail without any mutant:\n${tail}`)

  const ends = new Map<Mutant, Ended>()
  for (const [index, mutant] of chosen.entries()) ends.set(mutant, await outcomeOf(mutant, index + 1))
  const isKilled = (mutant: Mutant) => ends.get(mutant)?.outcome.startsWith('killed') === true
  const killed = chosen.filter(isKilled)
  const byInner = killed.filter((mutant) => ends.get(mutant)?.ring === 'inner')
  const others = chosen.filter((mutant) => !killed.includes(mutant))
  console.log(`${killed.length} of ${chosen.length} mutants killed, ${byInner.length} of them by the inner ring`)
  for (const mutant of others) {
    const why = mutant.survives === undefined ? '' : ` (expected: ${mutant.survives})`
    console.log(`${ends.get(mutant)?.outcome}: ${mutant.file}: ${mutant.what}${why}`)
  }
  for (const mutant of killed) if (mutant.survives) console.log(`killed, but listed as surviving: ${mutant.what}`)
  return chosen.every((mutant) => isKilled(mutant) === (mutant.survives === undefined))
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await run.stop()
}
