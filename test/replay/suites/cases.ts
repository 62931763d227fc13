import { test } from 'vitest'
import type { Case } from '../generator/cases.ts'
import { type CaseOptions, checkCases, timeLimitMs } from '../run/check-cases.ts'
import { openWorld } from '../run/open-world.ts'
import type { Run, World } from '../run/run-case.ts'

const targets = { dollar: 'Neo4j 5', braces: 'Neo4j 3.5' }

/** Registers the test of generated cases in a syntax, which decides the target. @returns the world that they share. */
export async function testCases(
  suite: string,
  firstNumber: bigint,
  syntax: keyof typeof targets,
  asked: CaseOptions,
  onRun: (given: Case, run: Run) => void = () => {},
): Promise<World> {
  const world = await openWorld(suite, firstNumber, syntax)
  test(`generated cases replay onto a dirty ${targets[syntax]} as specification and contract say, in any order`, {
    timeout: timeLimitMs(asked),
  }, async () => {
    await checkCases(world, asked, onRun)
  })
  return world
}
