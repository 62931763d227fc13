import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Case } from '../../replay/generator/cases.ts'
import { largeCases } from '../../replay/generator/large-cases.ts'
import { openWorld } from '../../replay/run/open-world.ts'
import { runCase } from '../../replay/run/run-case.ts'

const world = await openWorld('Large', 750_000n)

const seed = Math.floor(Math.random() * 2 ** 31)

const choices = [
  ['more nodes than are read at a time', { isSliced: false, isDirected: false }],
  ['more nodes than are read at a time, with directed types', { isSliced: false, isDirected: true }],
  ['more sub-requests than one worker builds', { isSliced: true, isDirected: seed % 2 === 0 }],
] as const

// The short form takes one, chosen by the seed; the small sizes of the smaller cases cross every boundary.
test.each(choices.filter((_, index) => inject('isLong') || index === seed % choices.length))(
  'a generated case of %s replays as specification and contract say, in any order',
  { timeout: 600_000 },
  async (_, choice) => {
    console.log(`large generated case: seed ${seed}`)
    const [given] = fc.sample(largeCases(world.names, choice), { seed, numRuns: 1 }) as [Case]
    const { verdict, parts } = await runCase(world, given)
    expect([verdict, parts > 1]).toEqual(['fine', true])
  },
)
