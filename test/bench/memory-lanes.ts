import type { Lane } from './lanes.ts'
import { allNodes } from './publish-lanes.ts'
import { nodes, publishedByFresh, repeated } from './publishing.ts'
import type { Setting } from './setting.ts'

/** A fresh worker without warm-up publishes the nodes repeatedly, up to this number of pairs. */
export const memoryLanes: Lane[] = [
  { name: 'memory-10k', unit: 'pairs', what: '10,000 pairs by a worker just started', measure: pairs(10_000) },
  { name: 'memory-100k', unit: 'pairs', what: '100,000 pairs', measure: pairs(100_000) },
  {
    name: 'memory-selected-100k',
    unit: 'pairs',
    what: '100,000 pairs, of selected nodes',
    measure: selected(1),
  },
  {
    name: 'memory-selected-1m',
    unit: 'pairs',
    what: '1,000,000 pairs, of nodes selected ten times',
    measure: selected(10),
    most: 1,
  },
  { name: 'memory-1m', unit: 'pairs', what: '1,000,000 pairs', measure: pairs(1_000_000), most: 1 },
]

function selected(selections: number) {
  return (setting: Setting) => {
    const pairs = selections * setting.ids.length
    return publishedByFresh(setting, { ids: [], selections, options: nodes, pairs, workers: 1 })
  }
}

function pairs(count: number) {
  return (setting: Setting) => {
    // Scales packets down with a small graph, but not up: a request has size limits.
    const wanted = count * Math.min(1, setting.scale)
    const times = Math.ceil(wanted / setting.ids.length)
    const ids = repeated(allNodes(setting), times).ids.slice(0, wanted)
    return publishedByFresh(setting, { ids, options: nodes, pairs: wanted, workers: 1 })
  }
}
