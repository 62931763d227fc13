import type { Node } from 'neo4j-driver'
import { asStored } from '../../../packet/cypher/as-stored.ts'
import { template } from '../../../packet/cypher/parameters.ts'
import { anchorPattern } from '../../../packet/kinds/statement.ts'
import type { Item } from '../order/batches.ts'
import { eachRow, withRowFields } from '../order/over-rows.ts'
import { describeIdentity, irreversible } from './elements.ts'
import { type NamedNode, namedBy } from './facts.ts'
import type { Images } from './images.ts'
import { spared } from './spared.ts'
import { type Seen, seen, type TargetReader } from './target-reader.ts'

const kinds = ['nodeUpsert', 'deleteProperties', 'nodeDelete', 'postback']

interface Use extends NamedNode {
  item: Item
  /** How the node is looked for. */
  query: string
}

/** Saves the nodes that the items create or delete, or whose properties or labels they may change. */
export async function saveNodes(items: readonly Item[], reader: TargetReader, images: Images): Promise<void> {
  for (const [query, alike] of Map.groupBy(items.flatMap(usesOf), (use) => use.query)) {
    const rows = alike.map(({ item, value }) => ({ ...spared(item, 'x').parameters, id: value }))
    const met = new Set<number>()
    for await (const { at, n, seen: node } of reader.read<{ n: Node | null; seen: Seen }>(query, rows)) {
      const { identity, item } = alike[at] as Use
      if (met.has(at)) throw irreversible(`the node ${describeIdentity(identity)}`, 'is there several times')
      met.add(at)
      if (n !== null) await images.node(n, await reader.identify(node))
      else if (item.recognised.kind === 'nodeUpsert') await images.absentNode(identity)
    }
  }
}

function usesOf(item: Item): Use[] {
  const { recognised } = item
  if (!kinds.includes(recognised.kind) || 'ends' in recognised) return []
  const { where } = spared(item, 'x')
  return namedBy(item).map((one) => {
    const found = withRowFields(template`OPTIONAL MATCH ${anchorPattern('x', one.node, 'id')}${where}`)
    const query = `${eachRow} ${found} WITH at, ${asStored('x')} AS n RETURN at, n, ${seen('n')} AS seen`
    return { ...one, item, query }
  })
}
