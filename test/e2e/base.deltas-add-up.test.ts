import { describe, test } from 'vitest'
import { deltasAddUp } from '../support/replay/deltas-add-up.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))

describe(`base and deltas, replayed in order, give the graph of the origin (SEED=${seed})`, () => {
  test('with cleanups, in slices', () =>
    deltasAddUp(seed, 2, { parallel: true, multi: true, options: { relationshipIdField: 'rid' } }))

  test('with deletions alone, of a selection', () =>
    deltasAddUp(seed + 1, 4, { parallel: false, options: { preventCleanup: true } }))
})
