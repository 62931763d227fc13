import { expect, inject, test } from 'vitest'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { checkUndo } from '../run/check-undo.ts'
import { openWorld } from '../run/open-world.ts'

/** What an undo cannot restore, on targets as dirty as these. */
const reasons = [
  ...['has parallel ones that cannot be distinguished', 'has a parallel one of equal grn', 'tells relationships apart'],
  ...[
    'has no identity that the packet could name',
    'could not be distinguished from one without grn',
    'byte array as its',
  ],
  ...[
    'no node delete can name its',
    'bears several identities',
    'has the grn of a relationship to another node',
    'has NaN as grn',
  ],
]

/** Registers the tests of generated cases that are replayed and undone: this many on each database. */
export async function testUndone(
  suite: string,
  firstNumber: bigint,
  wanted: { neo4j5: number; neo4j35: number },
): Promise<void> {
  const { target, legacy } = inject('stack') as { target: Neo4jAddress; legacy: Neo4jAddress }
  test.each([
    ['Neo4j 5', target, await openWorld(`${suite}Five`, firstNumber), wanted.neo4j5],
    ['Neo4j 3.5', legacy, await openWorld(`${suite}Three`, firstNumber + 50_000n, 'braces'), wanted.neo4j35],
  ])('%s is unchanged after a replay and its undo', { timeout: 900_000 }, async (_name, address, world, cases) => {
    const { undone, refusals } = await checkUndo(world, address, cases, Math.floor(Math.random() * 2 ** 31))
    expect(refusals.filter((message) => !reasons.some((reason) => message.includes(reason)))).toEqual([])
    expect(undone).toBe(cases)
  })
}
