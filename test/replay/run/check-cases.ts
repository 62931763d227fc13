import fc from 'fast-check'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { differences } from '../generator/variants.ts'
import { type Run, runCase, type World } from './run-case.ts'
import { foreseen } from './situations.ts'
import { situations } from './situations-of-cases.ts'

/** Which cases to run: a seed, a count, and the path of a failing case. */
export interface CaseOptions {
  seed?: number
  cases: number
  path?: string
  /** Only cases in which this situation is foreseen. */
  situation?: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Options of `npm run fuzz`; empty in `npm test`. */
    asked: Partial<CaseOptions>
  }
}

const shrinkingLimitMs = 60_000

/** Ends only tests that hang: beside two other files on two cores a case takes up to eight seconds. */
export const timeLimitMs = ({ cases }: CaseOptions): number => 2 * shrinkingLimitMs + 15_000 * cases

/**
 * Runs generated cases sequentially and reports each to `onRun`.
 * @throws Error with the smallest failing case found and the command that reproduces it.
 */
export async function checkCases(
  world: World,
  asked: CaseOptions,
  onRun: (given: Case, run: Run) => void,
): Promise<void> {
  const { seed = Math.floor(Math.random() * 2 ** 31), cases: numRuns, path, situation } = asked
  const title = situation === undefined ? '' : `, ${situation}`
  console.log(`generated cases into ${world.parameterSyntax}: seed ${seed}, ${numRuns} cases${title}`)
  const all = cases(world.names)
  const drawn = situation === undefined ? all : all.filter(foresees(situation))
  let failedAt: number | null = null
  const property = fc.asyncProperty(drawn, async (given) => {
    if (failedAt !== null && Date.now() - failedAt > shrinkingLimitMs) return
    try {
      onRun(given, await runCase(world, given))
    } catch (error) {
      failedAt ??= Date.now()
      throw error
    }
  })
  // Two requests that differ in one option occur once for each: drawn at random, some would be missing for long.
  const examples = differences.map(
    (option, index) =>
      fc.sample(cases(world.names, fc.constant([option])), { seed: seed + index, numRuns: 1 }) as [Case],
  )
  const { failed, counterexample, errorInstance, counterexamplePath } = await fc.check(property, {
    seed,
    numRuns,
    examples: numRuns > 2 * examples.length ? examples : [],
    ...(path === undefined ? {} : { path }),
  })
  if (!failed) return
  const [smallest] = counterexample as [Case]
  throw new Error(
    [
      errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
      describeCase(smallest),
      `again: npm run fuzz -- --seed ${seed} --path ${counterexamplePath} --cases ${numRuns} --syntax ${world.parameterSyntax}${situation === undefined ? '' : ` --situation '${situation}'`}`,
    ].join('\n\n'),
  )
}

const drawsAtMost = 50_000

/** Whether the oracle foresees a situation in a case. @throws Error if it does so in none of many. */
function foresees(name: string): (given: Case) => boolean {
  const situation = situations.find((one) => one.name === name)
  let draws = 0
  return (given) => {
    if (situation === undefined || ++draws > drawsAtMost) throw new Error(`no case shows the situation: ${name}`)
    return situation.occurs(foreseen(given))
  }
}
