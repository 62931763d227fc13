import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { recognise } from '../../../packet/recognise.ts'
import type { BoundModel } from '../../../shared/request/bound-model.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import type { Alphabet } from '../generator/alphabet.ts'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { graphText } from '../generator/graph.ts'
import { admitted } from '../oracle/identities.ts'
import { identitiesOf } from '../oracle/operations.ts'
import { buildHere } from '../run/build-here.ts'
import { createOrigin, replayed } from '../run/databases.ts'
import { openWorld } from '../run/open-world.ts'
import type { World } from '../run/run-case.ts'
import { foreseen, isUnambiguous } from './differences.ts'

const sizes = { probe: 3, group: 3, chunk: 7 }
const version = `grn:gg:managerversion:${'a'.repeat(44)}`

interface Draft {
  /** Which labels are node types, and which keys each of them has. */
  isType: boolean[]
  isImplemented: boolean[]
  dataTypes: (string | undefined)[]
  isRequired: boolean[]
}

const drafts: fc.Arbitrary<Draft> = fc.record({
  isType: fc.array(fc.constantFrom(true, true, true, false), { minLength: 6, maxLength: 6 }),
  isImplemented: fc.array(fc.constantFrom(true, true, true, true, false), { minLength: 1, maxLength: 40 }),
  dataTypes: fc.array(fc.constantFrom(undefined, undefined, undefined, 'String', 'Number', 'Date'), { minLength: 7 }),
  isRequired: fc.array(fc.constantFrom(false, false, false, true), { minLength: 5 }),
})

/** A model about some of the labels and keys of a case. */
function modelOf(
  { isType, isImplemented, dataTypes, isRequired }: Draft,
  { origin }: Case,
  names: Alphabet,
): BoundModel {
  const keys = [...new Set(['id', 'key', ...origin.nodes.flatMap(({ properties }) => Object.keys(properties))])]
  let at = 0
  const drawn = <T>(values: readonly T[]) => values[at++ % values.length] as T
  const types = names.all.filter((_, index) => isType[index])
  return {
    version,
    properties: keys,
    types: types.map((label) => ({
      label,
      properties: keys
        .filter((key) => key === 'id' || key === 'key' || drawn(isImplemented))
        .map((key) => {
          const dataType = drawn(dataTypes)
          return { key, ...(dataType ? { dataType } : {}), ...(drawn(isRequired) ? { required: true as const } : {}) }
        }),
    })),
  }
}

/** What a packet publishes of nodes although the model does not have it, or lacks although the model requires it. */
function unmodelled(pairs: readonly Pair[], { types }: BoundModel, { requests }: Case): string[] {
  const excluded = requests.flatMap(({ deleteProperties = [], protectedNodeProperties = [] }) => [
    ...deleteProperties,
    ...protectedNodeProperties,
  ])
  return pairs.flatMap(({ statement }) => {
    const upsert = recognise(statement)
    if (upsert?.kind !== 'nodeUpsert') return []
    const { node, fields, changes } = upsert
    const type = types.find(({ label }) => label === node.label)
    const keys = fields.map(({ key }) => key)
    const known = type?.properties ?? []
    return [
      ...[node.label, ...changes.added].filter((label) => !types.some((one) => one.label === label)),
      ...keys.filter((key) => !known.some((one) => one.key === key)),
      ...known.filter(({ key, required, dataType }) => {
        // A byte array has no type and cannot be published: `onUnpublishable: skip` leaves it out of what the node has.
        const isLeftOut = dataType === undefined && changes.protectedKeys.includes(key)
        return required && !keys.includes(key) && !excluded.includes(key) && !isLeftOut
      }),
    ].map((what) => `${statement}: ${JSON.stringify(what)}`)
  })
}

/** Checks one case under one model. @returns whether the model was broken; null if nothing can be said of the case */
async function check(world: World, given: Case, model: BoundModel): Promise<boolean | null> {
  const operations = foreseen(given, await createOrigin(world.from, given.origin, world.names))
  if (operations === null) return null
  // Stamps hold it, so packets of one case are alike.
  const acceptedAt = Date.now()
  const build = async (onModelViolation: 'fail' | 'report' | 'omit') => {
    const { parts, violations } = await buildHere(given, world, sizes, {
      binding: { model, onModelViolation },
      acceptedAt,
    })
    return { pairs: parts.flat(), violations }
  }
  const free = (await buildHere(given, world, sizes, { acceptedAt })).parts.flat()
  const reported = await build('report')
  const isBroken = reported.violations > 0
  const identities = identitiesOf(operations)
  const before = admitted(given.target, identities)
  if (!isUnambiguous(before, [{ operations, pairs: free }], identities)) return null
  const graphOf = async (pairs: readonly Pair[]) => graphText(await replayed(world.to, before, pairs, world.names))

  expect(reported.pairs).toEqual(free)
  const outcome = await build('fail').catch((error: { code: string }) => error.code)
  expect(outcome === 'modelViolation').toBe(isBroken)
  if (typeof outcome !== 'string') expect(outcome.pairs).toEqual(free)

  const omitted = (await build('omit')).pairs
  expect(unmodelled(omitted, model, given)).toEqual([])
  const once = await graphOf(omitted)
  for (const order of [omitted.toReversed(), shuffled(omitted, given.delivery.orderSeed), [...omitted, ...omitted]]) {
    expect(differences(once, await graphOf(order))).toEqual([])
  }
  if (!isBroken) expect(omitted).toEqual(free)
  return isBroken
}

/** Registers the test of this many generated cases that break a generated model, and as many that do not. */
export async function testModels(suite: string, firstNumber: bigint, wanted: number): Promise<void> {
  const world = await openWorld(suite, firstNumber)
  test('a generated model refuses, reports or omits what breaks it, and nothing else; in any order', {
    timeout: 1_200_000,
  }, async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    console.log(`generated models: seed ${seed}, ${wanted} cases that break them`)
    const drawn = fc.tuple(cases(world.names, fc.constant(null)), drafts)
    let [broken, kept] = [0, 0]
    for (const [generated, draft] of fc.sample(drawn, { seed, numRuns: wanted * 100 })) {
      if (broken >= wanted && kept > 0) break
      const given = { ...generated, requests: generated.requests.map((one) => ({ ...one, isElsewhere: false })) }
      const model = modelOf(draft, given, world.names)
      const outcome = await check(world, given, model).catch((error) => {
        throw new Error(`${error.message}\n\n${describeCase(given)}\nmodel ${JSON.stringify(model)}`)
      })
      if (outcome === true) broken++
      if (outcome === false) kept++
    }
    expect(broken).toBeGreaterThanOrEqual(wanted)
    expect(kept).toBeGreaterThan(0)
  })
}
