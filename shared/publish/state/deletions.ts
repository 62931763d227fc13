import type { ParameterSyntax } from '../../../packet/cypher/parameters.ts'
import type { Identity } from '../../../packet/identity.ts'
import { idText } from '../../../packet/identity.ts'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { relationshipDelete } from '../../../packet/kinds/relationship-delete.ts'
import { pairOf, type Shape, shapeOf } from '../../../packet/pair.ts'
import { createPacketWriter, type PartSink } from '../../../packet/parts/packet-writer.ts'
import { partLimits } from '../../../packet/parts/part-buffer.ts'
import { packetErrors } from '../pairs/packet-errors.ts'
import { type Gone, isRelationship, nodeOf, relationshipOf } from './gone.ts'

/** Elements that one statement deletes. Beyond this limit another statement begins: a transaction locks all of them. */
const mostElements = 500

/** Characters of the ids that one statement deletes. Beyond this limit another statement begins: ids may be very long. */
const mostCharacters = 1_000_000

interface DeletionSettings {
  syntax: ParameterSyntax
  batchSize: number
  /** Lines of nodes by the keys of others: see `StateComparison`. */
  renamed: ReadonlyMap<string, ReadonlySet<string>>
  sink: PartSink
}

/** Deletions of one statement, and the rows of its list. */
interface Open {
  shape: Shape<unknown>
  name: 'ids' | 'ends'
  rows: string[]
  nodes: string[]
  characters: number
}

/**
 * Writes the deletions of what a base has and a new state lacks. They do not depend on the order among the packet's other
 * pairs, of which none is about what they delete. Contract 4.23.
 */
export async function writeDeletions(
  gone: AsyncIterable<Gone>,
  { syntax, batchSize, renamed, sink }: DeletionSettings,
) {
  const writer = createPacketWriter({
    limits: partLimits(batchSize),
    maxPairs: Number.MAX_SAFE_INTEGER,
    errors: packetErrors,
    sink,
  })
  // Whoever discards the parts after an error must know of all of them.
  await using _ = { [Symbol.asyncDispose]: () => writer.settle() }
  const open = new Map<string, Open>()

  async function close(it: Open): Promise<void> {
    const { shape, name, rows, nodes } = it
    const list = `[${rows.join(',')}]`
    await writer.write(
      pairOf(shape, () => list),
      `the list "${name}" of a deletion`,
      (metadata) => metadata.deleted(nodes),
      rows.length,
    )
    Object.assign(it, { rows: [], nodes: [], characters: 0 })
  }

  async function add(key: string, make: () => Pick<Open, 'shape' | 'name'>, row: string, node?: string): Promise<void> {
    const it = open.get(key) ?? { ...make(), rows: [], nodes: [], characters: 0 }
    open.set(key, it)
    it.rows.push(row)
    it.characters += row.length
    if (node !== undefined) it.nodes.push(node)
    if (it.rows.length === mostElements || it.characters > mostCharacters) await close(it)
  }

  for await (const one of gone) {
    if (isRelationship(one)) {
      const { start, type, end, own } = relationshipOf(one)
      const ids = [start.id, end.id, ...(own ? [own.id] : [])]
      const key = JSON.stringify([kindOf(start), type, kindOf(end), own?.key, own?.id.wrap, own?.id.list])
      const field = own && { key: own.key, value: own.id }
      const make = () => ({
        shape: shapeOf(relationshipDelete({ start, type, end }, field), syntax),
        name: 'ends' as const,
      })
      await add(key, make, `[${ids.map(({ json }) => json).join(',')}]`)
      continue
    }
    const node = nodeOf(one.payload === null ? one.key : `${one.key}\t${one.payload}`)
    const except = [...(renamed.get(one.key) ?? [])].map(nodeOf)
    const make = () => ({ shape: shapeOf(nodeDelete(node, expressionOf(node)), syntax), name: 'ids' as const })
    const key = JSON.stringify([kindOf(node), expressionOf(node)])
    if (except.length === 0) await add(key, make, node.id.json, idText(node.id))
    else await deleteExcept(node, except)
  }

  async function deleteExcept(node: Identity, except: readonly Identity[]): Promise<void> {
    const shape = shapeOf(nodeDelete(node, expressionOf(node), except), syntax)
    const pair = pairOf(shape, (source) =>
      source === 'ids' ? `[${node.id.json}]` : (except[(source as { kept: number }).kept] as Identity).id.json,
    )
    await writer.write(pair, `the deletion of "${idText(node.id)}"`, (metadata) => metadata.deleted([idText(node.id)]))
  }

  for (const it of open.values()) if (it.rows.length > 0) await close(it)
  await writer.end({ evenIfEmpty: false })
  return writer.shape()
}

/** An id that is a list is one also without a conversion of its elements: it is looked for in another way. */
const expressionOf = ({ id: { wrap, list, json } }: Identity) => ({
  wrap,
  list: list || (wrap === null && json.startsWith('[')),
})
const kindOf = ({ label, idProperty, id: { wrap, list } }: Identity) => [label, idProperty, wrap, list]
