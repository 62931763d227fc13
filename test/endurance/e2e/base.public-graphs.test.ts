import { describe, inject, test } from 'vitest'
import { changingPublicGraph, publicGraphs } from '../../support/graphs/public-graphs.ts'
import { deltasAddUp } from '../../support/replay/deltas-add-up.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
// The other two are larger.
const graphs = inject('isLong') ? publicGraphs : { library: publicGraphs.library }

describe(`a public graph that changes ten times arrives as base and deltas, equal each time (SEED=${seed})`, () => {
  test.each(Object.entries(graphs))('%s', { timeout: 400_000 }, (_name, load) =>
    deltasAddUp(seed, 10, {
      graph: (origin, target, mark) => changingPublicGraph(origin, target, mark, { seed, load }),
      options: {},
    }),
  )
})
