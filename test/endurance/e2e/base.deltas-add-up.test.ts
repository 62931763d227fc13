import { describe, inject, test } from 'vitest'
import { deltasAddUp } from '../../support/replay/deltas-add-up.ts'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))

describe(`base and deltas, replayed in order, give the graph of the origin (SEED=${seed})`, () => {
  test.each([
    ['cleanups', { parallel: false, options: {} }],
    ['deletions alone', { parallel: false, options: { preventCleanup: true } }],
    ['parallel relationships and cleanups', { parallel: true, options: { relationshipIdField: 'rid' } }],
    [
      'parallel ones and deletions alone',
      { parallel: true, options: { relationshipIdField: 'rid', preventCleanup: true } },
    ],
    ['slices', { parallel: false, multi: true, options: {} }],
  ])('with %s', (_name, kind) => deltasAddUp(seed, inject('isLong') ? 6 : 3, kind))
})
