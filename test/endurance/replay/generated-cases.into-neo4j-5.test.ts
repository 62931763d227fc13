import { expect, inject, test } from 'vitest'
import { type CaseOptions, checkCases } from '../../replay/run/check-cases.ts'
import { createCount } from '../../replay/run/situations.ts'
import { situations } from '../../replay/run/situations-of-cases.ts'
import { testCases } from '../../replay/suites/cases.ts'

const asked: CaseOptions = { cases: inject('isLong') ? 1_000 : 10, ...inject('asked') }
const count = createCount(situations, asked.cases)
const world = await testCases('Five', 550_000n, 'dollar', asked, count.add)

// Few cases need not have them all, and of many a rare situation may be missing by chance. Drawing cases until the oracle foresees it costs little.
test.runIf(asked.path === undefined && asked.cases >= 100)(
  'every required situation occurred often enough',
  { timeout: 600_000 },
  async () => {
    const lackingOf = (name: string) => count.tooRare().find(({ situation }) => situation.name === name)?.lacking ?? 0
    for (const { name } of count.tooRare().map(({ situation }) => situation)) {
      // A run may differ from what is foreseen where the documents leave the outcome open.
      for (let round = 0; round < 5 && lackingOf(name) > 0; round++) {
        await checkCases(world, { cases: lackingOf(name), situation: name }, count.add)
      }
    }
    expect(count.tooRare().map(({ situation, lacking }) => `${situation.name}: ${lacking} more`)).toEqual([])
  },
)
