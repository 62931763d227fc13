import type { ParameterSyntax } from '../../cypher/parameters.ts'
import { pairOf, shapeOf } from '../pairs/pair.ts'
import { nodeDelete } from '../pairs/statements/node-delete.ts'
import { type End, relationshipCreate } from '../pairs/statements/relationship-create.ts'
import { createPacketWriter, type PartSink } from '../parts/packet-writer.ts'
import { maxPairsPerPart, partLimits } from '../parts/part-buffer.ts'
import { idForms } from '../request/id-forms.ts'

/** How the ids of a request are stored on the target. Additive; contract 7.9 and 7.10. */
export type IdType = 'string' | 'integer'

const noPairLimit = Number.MAX_SAFE_INTEGER

/** An id as a parameter's JSON: as given, or as the integer that it spells; null if it spells none. */
export function idParameter(id: string, type: IdType): string | null {
  if (type === 'string') return JSON.stringify(id)
  const { integer } = idForms(id)
  return integer === null ? null : String(integer)
}

/** One statement that deletes nodes by id, without reading any database. Seed, #9. `ids` are the JSON of parameters. */
export async function writeNodeDelete(
  { label, idProperty }: End,
  ids: readonly string[],
  deletedIds: readonly string[],
  syntax: ParameterSyntax,
  sink: PartSink,
): Promise<void> {
  const writer = createPacketWriter(partLimits(maxPairsPerPart), noPairLimit, sink)
  const pair = pairOf(shapeOf(nodeDelete(label, idProperty), syntax), () => `[${ids.join(',')}]`)
  await writer.write(pair, 'the list of ids', (metadata) => metadata.deleted(deletedIds))
  await writer.end()
}

/**
 * One statement per id pair that creates a relationship between existing nodes. Seed, #10. Ids are the JSON of
 * parameters.
 */
export async function writeRelationshipCreates(
  { start, type, end }: { start: End; type: string; end: End },
  idPairs: readonly (readonly [startId: string, endId: string])[],
  syntax: ParameterSyntax,
  sink: PartSink,
): Promise<void> {
  const writer = createPacketWriter(partLimits(maxPairsPerPart), noPairLimit, sink)
  const shape = shapeOf(relationshipCreate(start, type, end), syntax)
  for (const [startId, endId] of idPairs) {
    const pair = pairOf(shape, (source) => (source === 'startId' ? startId : endId))
    await writer.write(pair, `the pair ${startId}, ${endId}`, (metadata) => {
      metadata.settings({ [start.label]: start.idProperty, [end.label]: end.idProperty }, null)
      metadata.relationship(type)
    })
  }
  await writer.end()
}
