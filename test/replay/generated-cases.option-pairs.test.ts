import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { type Case, describeCase } from './generator/cases.ts'
import { buildOrigin, originRecipes } from './generator/origins.ts'
import type { Request } from './generator/requests.ts'
import { buildTarget, targetRecipes } from './generator/targets.ts'
import { differences, twinOf } from './generator/variants.ts'
import { openWorld } from './run/open-world.ts'
import { runCase } from './run/run-case.ts'

const world = await openWorld('Pairs', 850_000n)
const { names } = world

/** Options that decide which relationships are written or deleted and how they are found; their pairs matter most. */
const deciding = [
  ...['relationships', 'preventCleanup', 'relationshipIdField', 'relationshipDeleteOnly', 'deleteRelationshipById'],
  ...['timestampRelationships', 'protectedRelationshipProperties', 'toLayer', 'targetFilter', 'onUnpublishable'],
  ...['mappedIndices with another default', 'dbUrl'],
]
const pairs = deciding.flatMap((one, index) => deciding.slice(index + 1).map((other) => [one, other]))

const originIds = ['u', '7', 'v', '6', 'w', '8', 'gone']
const { mappedIndices } = names
const plain: Request = { originIds, relationships: ['GEN_T', 'GEN_U>'], onUnpublishable: 'skip', mappedIndices }
const bases: Record<string, Request> = {
  'publishes relationships by their ends': { ...plain, metadata: true },
  'publishes relationships by their ids': { ...plain, relationshipIdField: 'grn', deleteRelationshipById: true },
  'deletes relationships by their ids': { ...plain, relationshipIdField: 'grn', relationshipDeleteOnly: true },
}
const seed = Math.floor(Math.random() * 2 ** 31)
const recipes = fc.record({ origin: originRecipes, target: targetRecipes, orderSeed: fc.nat() })

test.each(Object.entries(bases))(
  'a request that %s agrees with one that differs by one or two options, or both are refused',
  {
    timeout: 600_000,
  },
  async (name, base) => {
    console.log(`pairs of options: seed ${seed}`)
    // `npm test` tries each option, and every second pair, with one of the bases, chosen by the seed.
    const own = Object.keys(bases).indexOf(name)
    const turns = (length: number) => (_: unknown, index: number) => inject('isLong') || (index + seed) % length === own
    const twins = [...differences.filter(turns(3)).map((option) => [option]), ...pairs.filter(turns(6))]
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
    expect(new Set(verdicts)).toContain('fine')
    expect(new Set(verdicts)).toContain('refused')
  },
)
