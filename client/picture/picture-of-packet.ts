import { identitiesOf } from '../../shared/packet/kinds/kinds.ts'
import { createShapeTally } from '../../shared/packet/packet-shape.ts'
import { parsePart } from '../../shared/packet/parts/parse-part.ts'
import { createRecogniser } from '../../shared/packet/recognise.ts'
import { brokenIn, readPart } from '../replay/source/load-part.ts'
import type { Source } from '../source/source.ts'
import type { Picture } from './picture.ts'
import { type Contents, pictureOfShape } from './picture-of-shape.ts'

/** Draws what is in a packet: from its manifest, or else from all parts. @throws ReplayError `broken` */
export async function pictureOfPacket(source: Source, signal: AbortSignal): Promise<Picture> {
  const { name, manifest } = source
  if (manifest?.shape == null) return pictureOfShape(name, await readAll(source, signal))
  return pictureOfShape(name, { shape: manifest.shape, identities: manifest.requires.constraints })
}

async function readAll(source: Source, signal: AbortSignal): Promise<Contents> {
  const recognise = createRecogniser()
  const tally = createShapeTally()
  const identities = new Map<string, Contents['identities'][number]>()
  let unknown = 0
  for (const index of source.parts.keys()) {
    const stored = await readPart(source, index, signal)
    for (const { statement, parameters } of brokenIn(source.parts, index, () => parsePart(stored))) {
      const recognised = recognise(statement)
      if (recognised === null) {
        unknown++
        continue
      }
      const isList = recognised.kind === 'nodeDelete' && Array.isArray(parameters.ids)
      tally.add(recognised.topic, isList ? (parameters.ids as unknown[]).length : 1)
      for (const { label, idProperty: property } of identitiesOf(recognised)) {
        identities.set(JSON.stringify([label, property]), { label, property })
      }
    }
  }
  const shape = tally.read()
  return { shape: { ...shape, others: shape.others + unknown }, identities: [...identities.values()] }
}
