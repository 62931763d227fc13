import type { Driver } from 'neo4j-driver'
import { run } from '../../../dev/replay/neo4j.ts'
import { createRandom } from '../values/random.ts'

/** How the nodes of a history are identified: by A, by B, or by one of both, which their property `index` names. */
type Labels = 'A' | 'B' | 'AB by A' | 'AB by B'
const allLabels: readonly Labels[] = ['A', 'B', 'AB by A', 'AB by B']

interface Node {
  uid: number
  labels: Labels
  id: number
  key: string
}

/** A graph at an origin that changes step by step. */
export interface ChangingGraph {
  /** The id properties of its labels. */
  indices: Record<string, string>
  types: readonly string[]
  /** Further fields of its publishes. */
  fields: object
  /** The label and id by which each node is identified. */
  identities(): Promise<[label: string, id: string][]>
  begin(size?: number): Promise<void>
  change(): Promise<void>
}

/**
 * A graph that changes step by step as a seed decides: nodes and relationships come, go and come again, nodes change
 * their properties, their labels and their ids. Labels and types begin with `mark`. `parallel`: whether relationships
 * have an id `rid` of their own, and several of a type lie between two nodes.
 */
export function createHistory(driver: Driver, mark: string, seed: number, parallel: boolean): ChangingGraph {
  const random = createRandom(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const nodes: Node[] = []
  const gone: Node[] = []
  let next = 1
  const [A, B] = [`${mark}A`, `${mark}B`]
  const types = [`${mark}R`, `${mark}S`]
  const match = ({ uid }: Node, variable = 'n') =>
    `MATCH (${variable} {uid: ${uid}}) WHERE ${variable}:${A} OR ${variable}:${B}`
  const labelled = (labels: Labels) => (labels === 'A' ? `:${A}` : labels === 'B' ? `:${B}` : `:${A}:${B}`)
  const index = (labels: Labels) => (labels === 'AB by A' ? `'${A}'` : labels === 'AB by B' ? `'${B}'` : 'null')
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T

  async function create(node: Node): Promise<void> {
    const { uid, labels, id, key } = node
    await run(
      driver,
      `CREATE (${labelled(labels)} {uid: ${uid}, id: ${id}, key: '${key}', index: ${index(labels)}, at: ${below(3)}})`,
    )
    nodes.push(node)
  }

  async function relate(): Promise<void> {
    const [start, end, type] = [one(nodes), one(nodes), one(types)]
    const both = `${match(start, 'a')} ${match(end, 'b')}`
    if (parallel) await run(driver, `${both} CREATE (a)-[:${type} {rid: ${next++}, n: ${below(4)}}]->(b)`)
    else await run(driver, `${both} MERGE (a)-[r:${type}]->(b) SET r.n = ${below(4)}`)
  }

  const steps: (() => Promise<unknown>)[] = [
    () => create({ uid: next, labels: one(allLabels), id: next, key: `k${next++}` }),
    async () => {
      const back = gone.pop()
      if (back) await create(back)
    },
    async () => {
      if (nodes.length < 8) return
      const [node] = nodes.splice(below(nodes.length), 1) as [Node]
      await run(driver, `${match(node)} DETACH DELETE n`)
      gone.push(node)
    },
    () => run(driver, `${match(one(nodes))} SET n.at = ${below(3)}, n.p${below(3)} = ${below(2) ? 'null' : below(9)}`),
    async () => {
      const node = one(nodes)
      node.labels = one(allLabels)
      await run(
        driver,
        `${match(node)} REMOVE n:${A}:${B} SET n${labelled(node.labels)}, n.index = ${index(node.labels)}`,
      )
    },
    async () => {
      const node = one(nodes)
      node.id = next++
      await run(driver, `${match(node)} SET n.id = ${node.id}`)
    },
    relate,
    relate,
    relate,
    () => run(driver, `${match(one(nodes))} WITH n MATCH (n)-[r]-() WITH r LIMIT 1 DELETE r`),
    () => run(driver, `${match(one(nodes))} WITH n MATCH (n)-[r]-() WITH r LIMIT 1 SET r.n = ${below(9)}`),
  ]

  return {
    indices: { [A]: 'id', [B]: 'key' },
    types,
    fields: { dynamicLabels: { [A]: [B], [B]: [A] } },
    identities: async () =>
      nodes.map(({ labels, id, key }) => (labels === 'A' || labels === 'AB by A' ? [A, String(id)] : [B, key])),
    async begin(size = 12) {
      for (let count = 0; count < size; count++) await (steps[0] as () => Promise<unknown>)()
      for (let count = 0; count < 20; count++) await relate()
    },
    /** Changes one thing to six. */
    async change() {
      for (let count = 1 + below(6); count > 0; count--) await one(steps)()
    },
  }
}
