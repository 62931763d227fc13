import { Graph, layout } from '@dagrejs/dagre'
import { type Box, lineHeight, margin } from './sizes.ts'

export interface Point {
  x: number
  y: number
}

/** An edge between two nodes, which are given by their positions in the list. */
interface Edge {
  from: number
  to: number
  /** The width of its text. */
  width: number
}

interface Ranks {
  width: number
  height: number
  boxes: Box[]
  /** The points that each edge passes, and where its text stands. */
  edges: { points: Point[]; text: Point }[]
}

const textMargin = 8

/** Places nodes in ranks, so that most edges lead from left to right, and their texts cover nothing. */
export function ranksOf(nodes: readonly Pick<Box, 'width' | 'height'>[], edges: readonly Edge[]): Ranks {
  if (nodes.length === 0) return { width: 0, height: 0, boxes: [], edges: [] }
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 36, edgesep: 18, ranksep: 60, marginx: margin, marginy: margin })
  for (const [index, { width, height }] of nodes.entries()) graph.setNode(String(index), { width, height })
  for (const [index, { from, to, width }] of edges.entries()) {
    const size = { width: width + textMargin, height: lineHeight, labelpos: 'c' }
    graph.setEdge(String(from), String(to), size, String(index))
  }
  layout(graph)
  const { width, height } = graph.graph() as { width: number; height: number }
  return {
    ...{ width, height },
    boxes: nodes.map((_, index) => graph.node(String(index)) as unknown as Box),
    edges: edges.map(({ from, to }, index) => {
      const { points, x, y } = graph.edge(String(from), String(to), String(index)) as unknown as Point & {
        points: Point[]
      }
      return { points, text: { x, y } }
    }),
  }
}
