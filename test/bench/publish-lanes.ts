import { changeOnePercent, hubOf, sizesOf, warmUpCities, warmUpIds } from './graph.ts'
import type { Lane } from './lanes.ts'
import { modelOfPeople } from './model-of-people.ts'
import { graph, newFile, nodes, published, publishedByFresh, relationships, type Work } from './publishing.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'

/** The service end to end over HTTP, each round with fresh workers, which first warm up with work of the same kind. */
export const publishLanes: Lane[] = [
  { name: 'nodes-1', unit: 'pairs', what: 'multi of all nodes, one worker', measure: by(1, allNodes) },
  {
    name: 'nodes-bound-1',
    unit: 'pairs',
    what: 'nodes-1, bound to a model of all ten properties',
    async measure(setting) {
      const options = { ...nodes, index: 'Person', model: await modelOfPeople(setting) }
      return by(1, () => ({ ...allNodes(setting), options }))(setting)
    },
  },
  { name: 'nodes-2', unit: 'pairs', what: 'the same, two workers', measure: by(2, allNodes) },
  {
    name: 'relationships-1',
    unit: 'pairs',
    what: 'multi of all relationships with their cleanups, one worker',
    measure: by(1, allRelationships),
  },
  { name: 'relationships-2', unit: 'pairs', what: 'the same, two workers', measure: by(2, allRelationships) },
  {
    name: 'listed-1',
    unit: 'pairs',
    what: 'multi of all nodes and relationships, one worker',
    measure: by(1, wholeGraph),
  },
  {
    name: 'selected-1',
    unit: 'pairs',
    what: 'the same, selected by their label',
    measure: (setting) => publishedByFresh(setting, selected(setting)),
  },
  {
    name: 'indexed-1',
    unit: 'pairs',
    what: 'the same, as a packet that may be a base',
    measure: (setting) => publishedByFresh(setting, selected(setting, { ...graph, asBase: true })),
  },
  { name: 'delta-1', unit: 'pairs', what: 'what is left of it after one percent has changed', measure: delta },
  { name: 'hub-1', unit: 'pairs', what: 'relationships of the hub, one worker', measure: by(1, hub) },
]

export function allNodes({ ids }: Setting): Work {
  return { ids, options: nodes, pairs: ids.length }
}

function allRelationships({ ids, scale }: Setting): Work {
  const cleanups = ids.length
  return { ids, options: relationships, pairs: sizesOf(scale).relationships + cleanups }
}

function wholeGraph({ ids, scale }: Setting): Work {
  return { ids, options: graph, pairs: sizesOf(scale).relationships + 2 * ids.length }
}

/** All people and their relationships, by their label, with one worker. */
function selected(setting: Setting, options: object = graph) {
  const work = { ...wholeGraph(setting), ids: [], selections: 1, options }
  return { ...work, workers: 1, warmUp: { ...work, cities: warmUpCities, pairs: null } }
}

/** The base warms up the worker. */
async function delta(setting: Setting): Promise<Measured> {
  const { ours } = setting
  const [base, work] = [newFile(), selected(setting)]
  const worker = await ours.service.startWorker()
  try {
    await published(setting, ours, [worker], { ...work, options: { ...graph, asBase: true }, kept: base })
    await changeOnePercent(setting)
    return await published(setting, ours, [worker], { ...work, options: { ...graph, base }, pairs: null })
  } finally {
    await worker.stop(20_000)
  }
}

function hub({ scale }: Setting): Work {
  return { ids: [hubOf(scale)], options: relationships, pairs: sizesOf(scale).hub + 1 }
}

/** Uses the options of the measured work: with other options, the engine would have to compile again. */
export const warmUpOf = ({ ids }: Setting, options: object = nodes): Work => ({
  ids: warmUpIds(ids),
  options,
  pairs: null,
})

function by(workers: number, work: (setting: Setting) => Work) {
  return (setting: Setting) => {
    const measured = work(setting)
    return publishedByFresh(setting, { workers, warmUp: warmUpOf(setting, measured.options), ...measured })
  }
}
