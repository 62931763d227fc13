import { describe, inject, test } from 'vitest'
import { changingPublicGraph, publicGraphs } from '../../support/graphs/public-graphs.ts'
import { deltasAddUp } from '../../support/replay/deltas-add-up.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const changes = inject('isLong') ? 10 : 2

describe(`a public graph that changes arrives as base and deltas, equal each time (SEED=${seed})`, () => {
  test.each(Object.entries(publicGraphs))('%s', { timeout: 400_000 }, (_name, load) =>
    deltasAddUp(seed, changes, {
      graph: (origin, target, mark) => changingPublicGraph(origin, target, mark, { seed, load }),
      options: {},
    }),
  )
})
