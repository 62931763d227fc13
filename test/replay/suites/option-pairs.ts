import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Case, describeCase } from '../generator/cases.ts'
import { buildOrigin, originRecipes } from '../generator/origins.ts'
import type { Request } from '../generator/requests.ts'
import { buildTarget, targetRecipes } from '../generator/targets.ts'
import { differences, twinOf } from '../generator/variants.ts'
import { openWorld } from '../run/open-world.ts'
import { runCase } from '../run/run-case.ts'

/** Options that decide which relationships are written or deleted and how they are found; their pairs matter most. */
const deciding = [
  ...['relationships', 'preventCleanup', 'relationshipIdField', 'relationshipDeleteOnly', 'deleteRelationshipById'],
  ...['timestampRelationships', 'protectedRelationshipProperties', 'toLayer', 'targetFilter', 'onUnpublishable'],
  ...['mappedIndices with another default', 'dbUrl'],
]
const pairs = deciding.flatMap((one, index) => deciding.slice(index + 1).map((other) => [one, other]))

const originIds = ['u', '7', 'v', '6', 'w', '8', 'gone']
const bases = {
  'publishes relationships by their ends': { metadata: true },
  'publishes relationships by their ids': { relationshipIdField: 'grn', deleteRelationshipById: true },
  'deletes relationships by their ids': { relationshipIdField: 'grn', relationshipDeleteOnly: true },
}
const recipes = fc.record({ origin: originRecipes, target: targetRecipes, orderSeed: fc.nat() })

/** Each base is tried with one in so many of the twins, by the number of their options; bases take turns. */
interface Turns {
  options: number
  pairs: number
}

/** Registers a test for each base of requests that differ from it by one or two options. */
export async function testOptionPairs(suite: string, firstNumber: bigint, turns: Turns): Promise<void> {
  const world = await openWorld(suite, firstNumber)
  const { names } = world
  const seed = Math.floor(Math.random() * 2 ** 31)
  test.each(Object.entries(bases))(
    'a request that %s agrees with one that differs by one or two options, or both are refused',
    {
      timeout: 600_000,
    },
    async (name, ofBase) => {
      console.log(`pairs of options: seed ${seed}`)
      const { mappedIndices } = names
      const base: Request = {
        originIds,
        relationships: ['GEN_T', 'GEN_U>'],
        onUnpublishable: 'skip',
        mappedIndices,
        ...ofBase,
      }
      const own = Object.keys(bases).indexOf(name)
      const isTurn = (length: number) => (_: unknown, index: number) => (index + seed) % length === own % length
      const twins = [
        ...differences.filter(isTurn(turns.options)).map((option) => [option]),
        ...pairs.filter(isTurn(turns.pairs)),
      ]
      const drawn = fc.sample(recipes, { seed, numRuns: twins.length })
      const verdicts: string[] = []
      for (const [index, twin] of twins.entries()) {
        const { orderSeed, ...recipe } = drawn[index] as (typeof drawn)[number]
        const origin = buildOrigin({ ...recipe.origin, isSound: true, ids: 'all' }, names)
        const given: Case = {
          origin,
          target: buildTarget(recipe.target, origin, names),
          requests: [base, twinOf(base, twin, names)],
          twin,
          delivery: { stored: false, batchsize: 5_000, orderSeed },
          sizes: { probe: 3, group: 3, chunk: 3 },
        }
        const run = await runCase(world, given).catch((error) => {
          throw new Error(
            `${name}, beside one that differs in ${twin.join(' and ')}: ${error.message}\n\n${describeCase(given)}`,
          )
        })
        verdicts.push(run.verdict)
      }
      // A few twins may all be refused, or none.
      if (twins.length < 20) return
      expect(new Set(verdicts)).toContain('fine')
      expect(new Set(verdicts)).toContain('refused')
    },
  )
}
