import { Graph, layout } from '@dagrejs/dagre'
import { type Arrow, type Bubble, drawable, longestTitle, type Picture } from './picture.ts'

interface Point {
  x: number
  y: number
}

interface Box extends Point {
  width: number
  height: number
}

/** Where everything stands. `x` and `y` are the middle of a box; all numbers are pixels. */
export interface Layout {
  width: number
  height: number
  bubbles: { bubble: Bubble; box: Box }[]
  /** `text` is where the text of an arrow stands, on its line. */
  arrows: { arrow: Arrow; points: Point[]; text: Box }[]
}

export const lineHeight = 18
export const fontSize = 13
export const margin = 20
const padding = 14
const textMargin = 8

/** Places bubbles in ranks from left to right, arrows around them, and those of a bubble to itself below it. */
export function layoutOf({ title, bubbles, arrows }: Picture): Layout {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 36, edgesep: 18, ranksep: 60, marginx: margin, marginy: margin })
  const loops = Map.groupBy(arrows.filter(isLoop), ({ from }) => from)
  // A label may be any text, and some texts are none that the library takes as a name.
  const names = new Map(bubbles.map(({ label }, index) => [label, `n${index}`]))
  const nameOf = (label: string) => names.get(label) as string
  const loopsOf = ({ label }: Bubble) => loops.get(label) ?? []
  for (const bubble of bubbles) {
    const { width, height } = sizeOf(bubble, loopsOf(bubble))
    graph.setNode(nameOf(bubble.label), { width, height: height + loopsOf(bubble).length * lineHeight })
  }
  for (const [index, { from, to, text }] of arrows.entries()) {
    const size = { width: widthOf(text) + textMargin, height: lineHeight, labelpos: 'c' }
    if (from !== to) graph.setEdge(nameOf(from), nameOf(to), size, String(index))
  }
  if (bubbles.length > 0) layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  const titleWidth = widthOf(title, longestTitle) + 2 * margin

  const boxes = new Map(
    bubbles.map((bubble) => {
      const place = graph.node(nameOf(bubble.label)) as unknown as Box
      const size = sizeOf(bubble, loopsOf(bubble))
      return [bubble.label, { x: place.x, y: place.y - (place.height - size.height) / 2, ...size }]
    }),
  )
  return {
    ...{ width: Math.max(width, titleWidth), height },
    bubbles: bubbles.map((bubble) => ({ bubble, box: boxes.get(bubble.label) as Box })),
    arrows: arrows.map((arrow, index) => {
      const [from, to] = [boxes.get(arrow.from), boxes.get(arrow.to)] as [Box, Box]
      const size = { width: widthOf(arrow.text), height: lineHeight }
      if (isLoop(arrow)) {
        const own = loops.get(arrow.from) as Arrow[]
        const points = loopBelow(from, widest(own), own.indexOf(arrow))
        return { arrow, points, text: { x: from.x, y: (points[1] as Point).y, ...size } }
      }
      const edge = graph.edge(nameOf(arrow.from), nameOf(arrow.to), String(index)) as unknown as Point & {
        points: Point[]
      }
      const between = edge.points.slice(1, -1)
      const ends = [borderOf(from, between[0] as Point), borderOf(to, between.at(-1) as Point)] as [Point, Point]
      return { arrow, points: [ends[0], ...between, ends[1]], text: { x: edge.x, y: edge.y, ...size } }
    }),
  }
}

const isLoop = ({ from, to }: Arrow) => from === to

function sizeOf({ label, lines, deletions }: Bubble, loops: readonly Arrow[]) {
  const texts = [label, ...lines, ...deletions]
  const width = Math.max(...texts.map((text) => widthOf(text)), widest(loops) + 2 * loopStep * loops.length)
  return { width: width + 2 * padding, height: texts.length * lineHeight + 2 * padding }
}

const loopStep = 10
const widest = (arrows: readonly Arrow[]): number => Math.max(0, ...arrows.map(({ text }) => widthOf(text)))

/** About the width of a text; characters of wide scripts are about as wide as they are high. */
const widthOf = (text: string, longest?: number): number =>
  [...drawable(text, longest)].reduce((sum, character) => sum + (character > '\u2e80' ? 1 : 0.62), 0) * fontSize

/** Each loop encloses those before it, and their texts. */
function loopBelow({ x, y, height }: Box, textWidth: number, index: number): Point[] {
  const [half, bottom] = [textWidth / 2 + loopStep * (index + 1), y + height / 2]
  const depth = bottom + (index + 1) * lineHeight
  return [
    { x: x - half, y: bottom },
    { x: x - half, y: depth },
    { x: x + half, y: depth },
    { x: x + half, y: bottom },
  ]
}

/** Where the line from the middle of a box to a point outside leaves the box. */
function borderOf({ x, y, width, height }: Box, { x: toX, y: toY }: Point): Point {
  const [byX, byY] = [toX - x, toY - y]
  const share = Math.min(width / 2 / Math.abs(byX), height / 2 / Math.abs(byY))
  return share < 1 ? { x: x + byX * share, y: y + byY * share } : { x, y }
}
