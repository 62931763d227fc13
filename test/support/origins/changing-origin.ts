import { afterAll, expect, inject } from 'vitest'
import { differences } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { alphabetOf } from '../../replay/generator/alphabet.ts'
import { type Graph, graphText } from '../../replay/generator/graph.ts'
import { changesAt } from '../../replay/generator/writers.ts'
import { createOrigin, replayed, wipeOrigin } from '../../replay/run/databases.ts'
import { shuffled } from '../values/shuffle.ts'
import { buildWhile } from './build-while.ts'

// More than the parts in flight: the first change happens before the last node is written.
export const people = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']
const absent = ['new', 'newer']
export const everyone = [...people, ...absent]

/** An origin that changes while packets are built from it, and a target that shows what the packets do. */
export function openChangingOrigin(suite: string, firstNumber: bigint) {
  const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
  const [from, to] = [openDriver(neo4j), openDriver(target)]
  const names = alphabetOf(suite, firstNumber)
  afterAll(async () => {
    await wipeOrigin(from, names)
    await Promise.all([from.close(), to.close()])
  })

  const node = (id: string) => ({ labels: [names.a], properties: { id } })
  const edge = (start: number, end: number, grn: string) => ({
    type: 'GEN_T',
    from: start,
    to: end,
    properties: { grn },
  })

  /** The target has a relationship between any two nodes, so that a cleanup always finds something. */
  const dirty: Graph = {
    nodes: everyone.map(node),
    relationships: everyone.flatMap((_, start) => everyone.map((_, end) => edge(start, end, `stale-${start}-${end}`))),
  }

  /** Draws the people with these relationships between them. */
  const draw = (relationships: ReturnType<typeof edge>[]) =>
    createOrigin(from, { nodes: people.map(node), relationships }, names)

  /** Runs the queries when it is called first. */
  const once = (queries: string[]) => async () => {
    for (const query of queries.splice(0)) await run(from, query)
  }

  /** The effect of the pairs on a target depends neither on their order nor on how often each is replayed. */
  async function expectOneOutcome(pairs: readonly Pair[], before: Graph, seed = 1): Promise<Graph> {
    const inOrder = await replayed(to, before, pairs, names)
    const others = [
      pairs.toReversed(),
      shuffled(pairs, seed),
      shuffled([...pairs, ...pairs], seed + 1),
      [...pairs, ...pairs],
    ]
    for (const order of others) {
      const outcome = await replayed(to, before, order, names)
      expect(differences(graphText(inOrder), graphText(outcome))).toEqual([])
    }
    return inOrder
  }

  const changes = changesAt(names, everyone)
  return { names, from, dirty, edge, draw, once, expectOneOutcome, build: buildWhile(neo4j, names), changes }
}
