import { expect, inject, test } from 'vitest'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { checkUndo } from './run/check-undo.ts'
import { openWorld } from './run/open-world.ts'

const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
/** Neo4j 5 plans each new text for long. */
const wanted = inject('isLong') ? [200, 200] : [3, 8]

/** What an undo cannot restore, on targets as dirty as these. */
const reasons = [
  ...['has parallel ones that cannot be told apart', 'has a parallel one of equal grn', 'tells relationships apart'],
  ...['has no identity that the packet could name', 'could not be told from one that has no grn', 'byte array as its'],
  ...[
    'no node delete can name its',
    'bears several identities',
    'has the grn of a relationship to another node',
    'has NaN as grn',
  ],
]

test.each([
  ['Neo4j 5', target, await openWorld('UndoFive', 1_050_000n), wanted[0] as number],
  ['Neo4j 3.5', legacy, await openWorld('UndoThree', 1_150_000n, 'braces'), wanted[1] as number],
])(
  '%s is after a replay and its undo what it was before',
  { timeout: 900_000 },
  async (_name, address, world, cases) => {
    const { undone, refusals } = await checkUndo(world, address, cases, Math.floor(Math.random() * 2 ** 31))
    expect(refusals.filter((message) => !reasons.some((reason) => message.includes(reason)))).toEqual([])
    expect(undone).toBe(cases)
  },
)
