import { identitiesOf } from '../../shared/packet/kinds/kinds.ts'
import { parsePart } from '../../shared/packet/parts/parse-part.ts'
import { createRecogniser, type Recognised } from '../../shared/packet/recognise.ts'
import { number } from '../format.ts'
import { brokenIn, readPart } from '../replay/source/load-part.ts'
import type { Source } from '../source/source.ts'
import { type Picture, shortened } from './picture.ts'

/** What is written to the nodes with a label. */
interface Label {
  idProperties: Set<string>
  upserts: number
  deletions: Map<string, number>
}

/** Draws what is in a packet. Reads all parts, as the manifest does not know labels. @throws ReplayError `broken` */
export async function pictureOfPacket(source: Source, signal: AbortSignal): Promise<Picture> {
  const recognise = createRecogniser()
  const labels = new Map<string, Label>()
  const arrows = new Map<string, { from: string; type: string; to: string; count: number }>()
  let others = 0

  const labelOf = (label: string) => computed(labels, label, newLabel)

  function count(it: Recognised, parameters: Readonly<Record<string, unknown>>) {
    for (const { label, idProperty } of identitiesOf(it)) labelOf(label).idProperties.add(idProperty)
    const countArrow = (from: string, type: string, to: string) => {
      const arrow = computed(arrows, JSON.stringify([from, type, to]), () => ({ from, type, to, count: 0 }))
      arrow.count++
    }
    const countDeletion = (label: string, what: string, by = 1) => {
      const { deletions } = labelOf(label)
      deletions.set(what, (deletions.get(what) ?? 0) + by)
    }
    if (it.kind === 'nodeUpsert') labelOf(it.node.label).upserts++
    else if (it.kind === 'relationshipUpsert' || it.kind === 'relationshipCreate')
      countArrow(it.ends.start.label, it.ends.type, it.ends.end.label)
    else if (it.kind === 'cleanup') countDeletion(it.node.label, `cleanup of ${it.type.type}`)
    else if (it.kind === 'deleteProperties') countDeletion(it.node.label, 'delete of properties')
    else if (it.kind === 'nodeDelete') {
      countDeletion(it.node.label, 'delete of nodes', Array.isArray(parameters.ids) ? parameters.ids.length : 1)
    }
  }

  for (const index of source.parts.keys()) {
    const stored = await readPart(source, index, signal)
    for (const { statement, parameters } of brokenIn(source.parts, index, () => parsePart(stored))) {
      const recognised = recognise(statement)
      if (recognised === null) others++
      else count(recognised, parameters)
    }
  }
  const notDrawn = others === 0 ? '' : `; statements of others, not drawn: ${number.format(others)}`
  return {
    title: `${source.name}${notDrawn}`,
    bubbles: [...labels].map(([label, counted]) => ({ label, ...textsOf(counted) })),
    arrows: [...arrows.values()].map(({ from, type, to, count }) => ({
      ...{ from, to },
      text: `${type} × ${number.format(count)}`,
    })),
  }
}

const newLabel = (): Label => ({ idProperties: new Set(), upserts: 0, deletions: new Map() })

function textsOf({ idProperties, upserts, deletions }: Label) {
  return {
    lines: [
      ...[...idProperties].map((idProperty) => `id: ${idProperty}`),
      ...(upserts > 0 ? [`upserts: ${number.format(upserts)}`] : []),
    ],
    marked: shortened([...deletions].map(([what, count]) => `${what} × ${number.format(count)}`)),
  }
}

function computed<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}
