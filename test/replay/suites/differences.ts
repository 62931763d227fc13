import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diff } from '../../../client/replay/diff/diff.ts'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { sourceOf } from '../../support/replay/replaying.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { types } from '../generator/alphabet.ts'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { changed, changeRecipes } from '../generator/changes.ts'
import { graphText } from '../generator/graph.ts'
import { admitted, bears, type Identity } from '../oracle/identities.ts'
import { applied, identitiesOf, type Operation } from '../oracle/operations.ts'
import { operationsOf } from '../oracle/packet-operations.ts'
import { predict } from '../oracle/predict.ts'
import { buildHere } from '../run/build-here.ts'
import { createOrigin, replayed } from '../run/databases.ts'
import { openWorld } from '../run/open-world.ts'
import type { World } from '../run/run-case.ts'

const sizes = { probe: 3, group: 3, chunk: 7 }

export interface Published {
  operations: readonly Operation[]
  pairs: Pair[]
}

/** What the packet of a case does; null if the case is refused. */
export function foreseen(given: Case, elementIds: readonly string[]): readonly Operation[] | null {
  const { refusals, plans } = predict(given, { here: elementIds, elsewhere: elementIds })
  return refusals.length > 0 ? null : plans.flatMap((plan) => operationsOf(plan, 0n))
}

async function publish(world: World, given: Case): Promise<Published | null> {
  const operations = foreseen(given, await createOrigin(world.from, given.origin, world.names))
  return operations && { operations, pairs: (await buildHere(given, world, sizes)).parts.flat() }
}

// They decide which of several parallel relationships is published, and seldom whether a case is refused.
const anyElementIds = ({ origin }: Case) => origin.relationships.map((_, index) => String(index))

/** Whether the target is as contract 5 supposes, before the packets and after each of them. */
export function isUnambiguous(before: Case['target'], packets: readonly Published[], identities: readonly Identity[]) {
  const graphs = packets.map((_, index) =>
    applied(
      before,
      packets.slice(0, index + 1).flatMap(({ operations }) => operations),
    ),
  )
  return graphs.every(
    ({ nodes }) =>
      nodes.every((node) => identities.filter((identity) => bears(node, identity)).length <= 1) &&
      identities.every((identity) => nodes.filter((node) => bears(node, identity)).length <= 1),
  )
}

/** Registers the test of this many generated pairs of packets that differ in part. */
export async function testDifferences(suite: string, firstNumber: bigint, wanted: number): Promise<void> {
  const world = await openWorld(suite, firstNumber)
  test('a target that has the old packet becomes the same by the difference as by the whole new packet', {
    timeout: 1_200_000,
  }, async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    console.log(`differences of generated packets: seed ${seed}, ${wanted} pairs of packets`)
    const one = cases(world.names, fc.constant(null))
    const drawn = fc.tuple(one, changeRecipes, fc.nat(), fc.option(one))
    let [compared, shorter] = [0, 0]
    for (const [generated, recipe, order, other] of fc.sample(drawn, { seed, numRuns: wanted * 200 })) {
      // Some of the differences are much shorter than the packet.
      if (compared >= wanted && shorter > 0) break
      // Both packets come from one address.
      const here = ({ requests }: Case) => requests.map((request) => ({ ...request, isElsewhere: false }))
      const given = { ...generated, requests: here(generated) }
      // The new packet may come from other requests than the old one.
      const requests = here(other ?? generated)
      const later = { ...given, requests, origin: changed(given.origin, recipe, types) }
      if (![given, later].every((one) => foreseen(one, anyElementIds(one)))) continue
      const old = await publish(world, given)
      const whole = old && (await publish(world, later))
      if (!whole) continue
      const identities = identitiesOf([...old.operations, ...whole.operations])
      const before = admitted(given.target, identities)
      if (!isUnambiguous(before, [old, whole], identities)) continue

      const rest: Pair[] = []
      const { signal } = new AbortController()
      await diff(sourceOf(old.pairs), sourceOf(whole.pairs), { added: (pair) => void rest.push(pair), signal })
      // Such cases show nothing: the packets have no common pair, or the new one has no new pair.
      if (rest.length === 0 || rest.length === whole.pairs.length) continue
      compared++
      if (rest.length * 2 < whole.pairs.length) shorter++
      const expected = await replayed(world.to, before, [...old.pairs, ...whole.pairs], world.names)
      const actual = await replayed(world.to, before, [...old.pairs, ...shuffled(rest, order)], world.names)
      const lines = differences(graphText(expected), graphText(actual))
      expect(lines, `${describeCase(given)}\nlater ${JSON.stringify([recipe, requests])}`).toEqual([])
    }
    expect(compared).toBeGreaterThanOrEqual(wanted)
    expect(shorter).toBeGreaterThan(0)
  })
}
