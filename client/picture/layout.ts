import { Graph, layout } from '@dagrejs/dagre'
import { type Arrow, type Bubble, longestTitle, type Picture } from './picture.ts'
import { type Box, lineHeight, loopStep, margin, rowsOf, type Size, sizeOf, widest, widthOf } from './sizes.ts'

export type Point = Pick<Box, 'x' | 'y'>

export interface Layout {
  width: number
  height: number
  bubbles: { bubble: Bubble; box: Box }[]
  /** `text` is where the text of an arrow stands, on its line. */
  arrows: { arrow: Arrow; points: Point[]; text: Box }[]
}

const rowWidth = 1_200
const textMargin = 8

/**
 * Places bubbles in ranks, and arrows between them. Loops, the arrows from a bubble to itself, are below their bubble.
 * Bubbles without other arrows stand in rows below the ranks.
 */
export function layoutOf({ title, bubbles, arrows }: Picture): Layout {
  const between = arrows.filter(({ from, to }) => from !== to)
  const loops = Map.groupBy(
    arrows.filter(({ from, to }) => from === to),
    ({ from }) => from,
  )
  const loopsOf = ({ label }: Bubble) => loops.get(label) ?? []
  /** The space of a bubble with its loops. */
  function spaceOf(bubble: Bubble): Size {
    const { width, height } = sizeOf(bubble, loopsOf(bubble))
    return { width, height: height + loopsOf(bubble).length * lineHeight }
  }

  const connected = new Set(between.flatMap(({ from, to }) => [from, to]))
  const ranked = bubbles.filter(({ label }) => connected.has(label))
  const alone = bubbles.filter(({ label }) => !connected.has(label))
  const ranks = ranksOf(ranked, ranked.map(spaceOf), between)
  const rows = rowsOf(alone.map(spaceOf), ranks.height || margin, Math.max(ranks.width, rowWidth))
  const placed = [...ranked, ...alone].map((bubble, index) => {
    const space = [...ranks.boxes, ...rows][index] as Box
    const size = sizeOf(bubble, loopsOf(bubble))
    return { bubble, space, box: { x: space.x, y: space.y - (space.height - size.height) / 2, ...size } }
  })
  const boxes = new Map(placed.map(({ bubble, box }) => [bubble.label, box]))
  const boxOf = (label: string) => boxes.get(label) as Box

  const drawnBetween = between.map((arrow, index) => {
    const { points, x, y } = ranks.edges[index] as (typeof ranks.edges)[number]
    const inner = points.slice(1, -1)
    const start = borderOf(boxOf(arrow.from), inner[0] as Point)
    const end = borderOf(boxOf(arrow.to), inner.at(-1) as Point)
    return { arrow, points: [start, ...inner, end], text: textBox(arrow, { x, y }) }
  })
  const drawnLoops = [...loops.values()].flatMap((own) =>
    own.map((arrow, index) => {
      const points = loopBelow(boxOf(arrow.from), widest(own), index)
      return { arrow, points, text: textBox(arrow, { x: boxOf(arrow.from).x, y: (points[1] as Point).y }) }
    }),
  )
  return {
    width: placed.reduce(
      (most, { space: { x, width } }) => Math.max(most, x + width / 2 + margin),
      Math.max(ranks.width, widthOf(title, longestTitle) + 2 * margin),
    ),
    height: placed.reduce((most, { space: { y, height } }) => Math.max(most, y + height / 2 + margin), ranks.height),
    bubbles: placed,
    arrows: [...drawnBetween, ...drawnLoops],
  }
}

/** Places bubbles in ranks, so that most arrows lead from left to right, and their texts cover nothing. */
function ranksOf(bubbles: readonly Bubble[], sizes: readonly Size[], arrows: readonly Arrow[]) {
  // Dagre names nodes and edges by texts. Labels may be any text, so these are positions.
  const nameOf = new Map(bubbles.map(({ label }, index) => [label, String(index)]))
  const ends = ({ from, to }: Arrow) => [nameOf.get(from), nameOf.get(to)] as [string, string]
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 36, edgesep: 18, ranksep: 60, marginx: margin, marginy: margin })
  for (const [index, size] of sizes.entries()) graph.setNode(String(index), { ...size })
  for (const [index, arrow] of arrows.entries()) {
    const size = { width: widthOf(arrow.text) + textMargin, height: lineHeight, labelpos: 'c' }
    graph.setEdge(...ends(arrow), size, String(index))
  }
  if (bubbles.length > 0) layout(graph)
  const { width = 0, height = 0 } = graph.graph() as Partial<Size>
  return {
    width,
    height,
    boxes: bubbles.map((_, index) => graph.node(String(index)) as unknown as Box),
    edges: arrows.map(
      (arrow, index) => graph.edge(...ends(arrow), String(index)) as unknown as Point & { points: Point[] },
    ),
  }
}

const textBox = ({ text }: Arrow, at: Point): Box => ({ ...at, width: widthOf(text), height: lineHeight })

/** Each loop encloses the earlier loops and their texts. */
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
