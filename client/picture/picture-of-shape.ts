import type { PacketShape } from '../../packet/packet-shape.ts'
import { number, plural } from '../format.ts'
import { type Picture, shortened } from './picture.ts'

/** What a packet is about, and how it finds the nodes. */
export interface Contents {
  shape: PacketShape
  identities: readonly { label: string; property: string }[]
}

const deletions = {
  cleanup: (type = '') => `cleanup of ${type}`,
  deleteProperties: () => 'delete of properties',
  nodeDelete: () => 'delete of nodes',
  relationshipDelete: (type = '') => `delete of ${type}`,
}

/** Draws what a packet is about: labels, types between them, and what it deletes. */
export function pictureOfShape(name: string, { shape, identities }: Contents): Picture {
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
    // A postback changes no element that other pairs do not speak of.
    if (kind === 'postback') continue
    const bubble = bubbleOf(label)
    const times = `× ${number.format(count)}`
    if (kind in deletions) bubble.marked.push(`${deletions[kind as keyof typeof deletions](type)} ${times}`)
    else if (to !== undefined) {
      bubbleOf(to)
      arrows.push({ from: label, to, text: `${type} ${times}` })
    } else bubble.lines.push(`upserts: ${number.format(count)}`)
  }
  const notDrawn = shape.others === 0 ? '' : `; not drawn: ${plural(shape.others, 'other pair')}`
  return {
    title: `${name}${notDrawn}`,
    bubbles: [...bubbles].map(([label, { lines, marked }]) => ({ label, lines, marked: shortened(marked) })),
    arrows,
  }
}
