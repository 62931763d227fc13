import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alphabetOf } from './generator/alphabet.ts'
import { cases } from './generator/cases.ts'
import { foreseen } from './run/situations.ts'
import { situations } from './run/situations-of-cases.ts'

const drawnAtOnce = 500
const drawsAtMost = 20_000

test('every required situation can be foreseen, so that cases of it can be drawn', { timeout: 300_000 }, () => {
  const drawn = cases(alphabetOf('Foreseen', 0n))
  let missing = situations
  for (let seed = 1; seed <= drawsAtMost / drawnAtOnce && missing.length > 0; seed++) {
    for (const given of fc.sample(drawn, { seed, numRuns: drawnAtOnce })) {
      const shown = foreseen(given)
      missing = missing.filter(({ occurs }) => !occurs(shown))
    }
  }
  expect(missing.map(({ name }) => name)).toEqual([])
})
