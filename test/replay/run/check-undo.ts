import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ReplayError } from '../../../client/replay/errors.ts'
import { localSource } from '../../../client/source/local.ts'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { replayed, sourceOf } from '../../support/replay/replaying.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { type Case, cases, describeCase } from '../generator/cases.ts'
import { equalIds, type Graph, graphText } from '../generator/graph.ts'
import { without } from '../generator/targets.ts'
import { buildHere } from './build-here.ts'
import { createOrigin, readGraphOf, wipeOrigin } from './databases.ts'
import type { World } from './run-case.ts'
import { foreseen } from './situations.ts'

// About half of them are refused.
const drawnFor = 12

/** What became of the cases: how many were undone, and why others were refused. */
export interface Undone {
  undone: number
  refusals: string[]
}

/**
 * Replays the packets of generated cases onto dirty targets, with an undo. Then replays the undo, for some cases first
 * as single pairs in any order, then as a packet. Draws cases until `wanted` cases that changed something were undone.
 * @throws Error for a case after which the target is not what it was
 */
export async function checkUndo(world: World, target: Neo4jAddress, wanted: number, seed: number): Promise<Undone> {
  console.log(`undone cases into ${world.parameterSyntax}: seed ${seed}, ${wanted} cases`)
  const result: Undone = { undone: 0, refusals: [] }
  for (const given of fc.sample(cases(world.names).filter(changes), { seed, numRuns: drawnFor * wanted })) {
    if (result.undone === wanted) break
    const directory = await mkdtemp(join(tmpdir(), 'undone-'))
    try {
      await undoOne(world, target, given, directory, result)
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}\n\n${describeCase(given)}`, { cause: error })
    } finally {
      await rm(directory, { recursive: true })
      await wipeOrigin(world.to, world.names)
    }
  }
  return result
}

/** Whether the packet can be published, and is expected to change the target. */
function changes(given: Case): boolean {
  const { isRefused, before, after } = foreseen(given)
  return !isRefused && differences(graphText(before), graphText(after)).length > 0
}

async function undoOne(world: World, target: Neo4jAddress, given: Case, directory: string, result: Undone) {
  const { to, names } = world
  const { orderSeed } = given.delivery
  await createOrigin(world.from, given.origin, names)
  const sizes = given.sizes ?? { probe: 3, group: 3, chunk: 3 }
  const built = await buildHere(given, world, sizes).catch(() => null)
  if (built === null) return
  const before = admitted(given, world)
  await createOrigin(to, before, names)
  // Parts of one window, or of several.
  const options = { lanes: 4, batchRows: 4, createConstraints: true, windowBytes: orderSeed % 2 === 0 ? 1 : 2 ** 20 }
  const undoDirectory = join(directory, 'undo')
  const failure = await replayed(sourceOf(...built.parts), target, { ...options, undoDirectory }).catch(
    (error) => error,
  )
  const after = await readGraphOf(to, names)
  const isRefused = failure instanceof ReplayError && failure.kind === 'refused'
  if (failure instanceof Error && !isRefused && !/ConstraintValidationFailed/.test(failure.message)) throw failure
  if (isRefused) {
    demand('refused, but changed', before, after)
    result.refusals.push(failure.message)
    return
  }
  const isChanged = differences(graphText(before), graphText(after)).length > 0
  const undo = await localSource(undoDirectory)
  if (undo === null) throw new Error('there is no undo')
  const pairs: Pair[] = []
  for (const part of undo.parts) pairs.push(...parsePart(await part.read(new AbortController().signal)))
  if (orderSeed % 3 === 0) {
    for (const { statement, parameters } of shuffled(pairs, orderSeed)) await run(to, statement, parameters)
    demand('undone pair by pair', before, await readGraphOf(to, names))
  }
  await replayed(undo, target, options)
  demand('undone', before, await readGraphOf(to, names))
  if (isChanged) result.undone++
}

/** The target without nodes that break the constraints and, of most cases, without parallel relationships. */
function admitted({ target, delivery }: Case, { names }: World): Graph {
  const rules = [
    [names.a, 'id'],
    [names.b, 'key'],
    [names.c, 'id'],
  ] as const
  const { nodes, relationships } = without(target, ({ labels, properties }, index) =>
    rules.some(
      ([label, key]) =>
        labels.includes(label) &&
        target.nodes.some(
          (other, at) => at < index && other.labels.includes(label) && isSame(other.properties[key], properties[key]),
        ),
    ),
  )
  if (delivery.orderSeed % 4 === 0) return { nodes, relationships }
  const places = relationships.map(({ type, from, to }) => `${type} ${from} ${to}`)
  return { nodes, relationships: relationships.filter((_, index) => places.indexOf(places[index] as string) === index) }
}

/** Whether a constraint forbids both. */
const isSame = (a: unknown, b: unknown) => equalIds(a, b) || (Number.isNaN(a) && Number.isNaN(b))

function demand(what: string, expected: Graph, actual: Graph): void {
  const lines = differences(graphText(expected), graphText(actual))
  if (lines.length > 0) throw new Error(`${what} (- expected, + found)\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
