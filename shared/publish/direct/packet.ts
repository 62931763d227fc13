import { z } from 'zod'
import type { ParameterSyntax } from '../../../packet/cypher/parameters.ts'
import { nodeDelete } from '../../../packet/kinds/node-delete.ts'
import { relationshipCreate } from '../../../packet/kinds/relationship-create.ts'
import type { NodeKey } from '../../../packet/kinds/statement.ts'
import type { PacketShape } from '../../../packet/packet-shape.ts'
import { pairOf, type Shape, shapeOf } from '../../../packet/pair.ts'
import { createPacketWriter, type PartSink } from '../../../packet/parts/packet-writer.ts'
import { maxPairsPerPart, partLimits } from '../../../packet/parts/part-buffer.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { idForms } from '../../request/id-forms.ts'
import { packetErrors } from '../pairs/packet-errors.ts'

/** How the ids of a request are stored on the target. Additive; contract 7.9 and 7.10. */
export const idTypes = z.enum(['string', 'integer'])

const writing = { limits: partLimits(maxPairsPerPart), maxPairs: Number.MAX_SAFE_INTEGER, errors: packetErrors }

/** An id as a parameter: as given, or as the integer that it spells; null if it spells none. */
export function idParameter(id: string, type: z.infer<typeof idTypes>): Rendered | null {
  if (type === 'string') return renderValue(id)
  const [, integer] = idForms(id)
  return integer === undefined ? null : renderValue(integer)
}

/** One statement that deletes nodes by id, without reading any database. Seed, #9. @returns what the packet is about */
export async function writeNodeDelete(
  node: NodeKey,
  ids: readonly Rendered[],
  deletedIds: readonly string[],
  syntax: ParameterSyntax,
  sink: PartSink,
): Promise<PacketShape> {
  const writer = createPacketWriter({ ...writing, sink })
  // A conversion that one of the ids needs leaves the others as they are.
  const wrap = ids.find((id) => id.wrap !== null)?.wrap ?? null
  const list = `[${ids.map(({ json }) => json).join(',')}]`
  const pair = pairOf(shapeOf(nodeDelete(node, { wrap, list: false }), syntax), () => list)
  await writer.write(pair, 'the list of ids', (metadata) => metadata.deleted(deletedIds), ids.length)
  await writer.end()
  return writer.shape()
}

/** One statement per id pair that creates a relationship between existing nodes. Seed, #10. @returns as above */
export async function writeRelationshipCreates(
  { start, type, end }: { start: NodeKey; type: string; end: NodeKey },
  idPairs: readonly (readonly [startId: Rendered, endId: Rendered])[],
  syntax: ParameterSyntax,
  sink: PartSink,
): Promise<PacketShape> {
  const writer = createPacketWriter({ ...writing, sink })
  const shapes = new Map<string, Shape<'startId' | 'endId'>>()
  for (const [startId, endId] of idPairs) {
    const key = `${startId.wrap} ${endId.wrap}`
    const statement = () => relationshipCreate({ start: { ...start, id: startId }, type, end: { ...end, id: endId } })
    const shape = shapes.get(key) ?? shapeOf(statement(), syntax)
    shapes.set(key, shape)
    const pair = pairOf(shape, (source) => (source === 'startId' ? startId.json : endId.json))
    await writer.write(pair, `the pair ${startId.json}, ${endId.json}`, (metadata) => {
      metadata.settings({ [start.label]: start.idProperty, [end.label]: end.idProperty }, null)
      metadata.relationship(type)
    })
  }
  await writer.end()
  return writer.shape()
}
