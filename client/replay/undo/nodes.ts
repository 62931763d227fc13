import type { Node } from 'neo4j-driver'
import { asStored } from '../../../packet/cypher/as-stored.ts'
import { template } from '../../../packet/cypher/parameters.ts'
import { anchorPattern } from '../../../packet/kinds/statement.ts'
import type { Item } from '../order/batches.ts'
import { eachRow, withRowFields } from '../order/over-rows.ts'
import { describeIdentity, irreversible } from './elements.ts'
import { type NamedNode, namedBy } from './facts.ts'
import type { Images } from './images.ts'
import { type Seen, seen, type TargetReader } from './target-reader.ts'

const kinds = ['nodeUpsert', 'deleteProperties', 'nodeDelete', 'postback']

interface Use extends NamedNode {
  /** Whether the pair creates the node if it is not there. */
  makes: boolean
}

/** Saves the nodes that the items create or delete, or whose properties or labels they may change. */
export async function saveNodes(items: readonly Item[], reader: TargetReader, images: Images): Promise<void> {
  for (const alike of Map.groupBy(items.flatMap(usesOf), ({ node }) => JSON.stringify(node)).values()) {
    const found = withRowFields(template`OPTIONAL MATCH ${anchorPattern('x', (alike[0] as Use).node, 'id')}`)
    const query = `${eachRow} ${found} WITH at, ${asStored('x')} AS n RETURN at, n, ${seen('n')} AS seen`
    const rows = alike.map(({ value }) => ({ id: value }))
    const met = new Set<number>()
    for await (const { at, n, seen: node } of reader.read<{ n: Node | null; seen: Seen }>(query, rows)) {
      const { identity, makes } = alike[at] as Use
      if (met.has(at)) throw irreversible(`the node ${describeIdentity(identity)}`, 'is there several times')
      met.add(at)
      if (n !== null) await images.node(n, await reader.identify(node))
      else if (makes) await images.absentNode(identity)
    }
  }
}

function usesOf(item: Item): Use[] {
  const { recognised } = item
  const isOfNodes = kinds.includes(recognised.kind) && !('ends' in recognised)
  return isOfNodes ? namedBy(item).map((one) => ({ ...one, makes: recognised.kind === 'nodeUpsert' })) : []
}
