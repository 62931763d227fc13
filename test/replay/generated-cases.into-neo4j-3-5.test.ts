import { inject, test } from 'vitest'
import { type CaseOptions, checkCases, timeLimitMs } from './run/check-cases.ts'
import { openWorld } from './run/open-world.ts'

const world = await openWorld('Three', 350_000n, 'braces')
const asked: CaseOptions = { cases: inject('isLong') ? 1_000 : 30, ...inject('asked') }

test('generated cases replay onto a dirty Neo4j 3.5 as specification and contract say, in any order', {
  timeout: timeLimitMs(asked),
}, async () => {
  await checkCases(world, asked, () => {})
})
