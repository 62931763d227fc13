import { expect, inject, test } from 'vitest'
import { type CaseOptions, checkCases, timeLimitMs } from './run/check-cases.ts'
import { openWorld } from './run/open-world.ts'
import { createCount } from './run/situations.ts'
import { situationsOfOrigins } from './run/situations-of-origins.ts'
import { situationsOfRequests } from './run/situations-of-requests.ts'
import { situationsOfSizes } from './run/situations-of-sizes.ts'
import { situationsOfTargets } from './run/situations-of-targets.ts'

const world = await openWorld('Five', 550_000n)
const asked: CaseOptions = { cases: inject('isLong') ? 1_000 : 150, ...inject('asked') }
const situations = [...situationsOfOrigins, ...situationsOfTargets, ...situationsOfRequests, ...situationsOfSizes]
const count = createCount(situations, asked.cases)

test('generated cases replay onto a dirty Neo4j 5 as specification and contract say, in any order', {
  timeout: timeLimitMs(asked),
}, async () => {
  await checkCases(world, asked, count.add)
})

// A rare situation may be missing from them by chance, so more are run for it.
const more: CaseOptions = { cases: 50 }
const rounds = 12

test.runIf(asked.path === undefined && asked.cases >= 150)(
  'every required situation occurred often enough',
  {
    timeout: rounds * timeLimitMs(more),
  },
  async () => {
    for (let round = 0; round < rounds && count.tooRare().length > 0; round++) await checkCases(world, more, count.add)
    expect(count.tooRare()).toEqual([])
  },
)
