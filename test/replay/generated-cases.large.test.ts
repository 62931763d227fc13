import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { alphabetOf } from './generator/alphabet.ts'
import type { Case } from './generator/cases.ts'
import { largeCases } from './generator/large-cases.ts'
import { openWorld } from './run/open-world.ts'
import { runCase } from './run/run-case.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const world = await openWorld({
  names: alphabetOf('Large', 750_000n),
  apiUrl,
  token: tokens.all as string,
  origin: neo4j,
  copy: target,
  parameterSyntax: 'dollar',
})

const seed = Math.floor(Math.random() * 2 ** 31)

test.each([
  ['more nodes than are read at a time', false],
  ['more sub-requests than one worker builds', true],
])(
  'a generated case of %s replays as specification and contract say, in any order',
  { timeout: 600_000 },
  async (_, isSliced) => {
    console.log(`large generated case: seed ${seed}`)
    const [given] = fc.sample(largeCases(world.names, isSliced), { seed, numRuns: 1 }) as [Case]
    const { verdict, parts } = await runCase(world, given)
    expect([verdict, parts > 1]).toEqual(['fine', true])
  },
)
