import { identitiesOf } from '../../shared/packet/kinds/kinds.ts'
import { createShapeTally, type PacketShape } from '../../shared/packet/packet-shape.ts'
import { parsePart } from '../../shared/packet/parts/parse-part.ts'
import { createRecogniser } from '../../shared/packet/recognise.ts'
import { number, plural } from '../format.ts'
import { brokenIn, readPart } from '../replay/source/load-part.ts'
import type { Source } from '../source/source.ts'
import { type Picture, shortened } from './picture.ts'

/** What a packet is about, and how it finds the nodes. */
interface Contents {
  shape: PacketShape
  identities: readonly { label: string; property: string }[]
}

/** Draws what is in a packet: from its manifest, or else from all parts. @throws ReplayError `broken` */
export async function pictureOfPacket(source: Source, signal: AbortSignal): Promise<Picture> {
  const { manifest } = source
  const { shape, identities } =
    manifest?.shape != null
      ? { shape: manifest.shape as PacketShape, identities: manifest.requires.constraints }
      : await readAll(source, signal)
  const bubbles = new Map<string, { lines: string[]; marked: string[] }>()
  const bubbleOf = (label: string) => {
    const bubble = bubbles.get(label) ?? { lines: [], marked: [] }
    bubbles.set(label, bubble)
    return bubble
  }
  const listed = new Set(shape.counts.flatMap(({ label, to }) => [label, ...(to === undefined ? [] : [to])]))
  for (const { label, property } of identities) if (listed.has(label)) bubbleOf(label).lines.push(`id: ${property}`)
  const arrows: Picture['arrows'] = []
  for (const { kind, label, type, to, count } of shape.counts) {
    const times = `× ${number.format(count)}`
    if (to !== undefined) {
      bubbleOf(label)
      bubbleOf(to)
      arrows.push({ from: label, to, text: `${type} ${times}` })
    } else if (kind === 'nodeUpsert') bubbleOf(label).lines.push(`upserts: ${number.format(count)}`)
    else if (kind === 'cleanup') bubbleOf(label).marked.push(`cleanup of ${type} ${times}`)
    else if (kind === 'deleteProperties') bubbleOf(label).marked.push(`delete of properties ${times}`)
    else if (kind === 'nodeDelete') bubbleOf(label).marked.push(`delete of nodes ${times}`)
  }
  const notDrawn = shape.others === 0 ? '' : `; not drawn: ${plural(shape.others, 'other pair')}`
  return {
    title: `${source.name}${notDrawn}`,
    bubbles: [...bubbles].map(([label, { lines, marked }]) => ({ label, lines, marked: shortened(marked) })),
    arrows,
  }
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
