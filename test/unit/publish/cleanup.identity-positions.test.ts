import { expect, test } from 'vitest'
import { renderValue } from '../../../packet/values/render-value.ts'
import { createIdentityPositions } from '../../../shared/publish/write/cleanup/identity-positions.ts'

const identity = (label: string, id: unknown) => {
  return { label, idProperty: 'id', id: renderValue(id, 'strict') ?? expect.unreachable() }
}

test('a node is found by any id that MERGE takes as equal, and keeps its own', () => {
  const positions = createIdentityPositions(3)
  const added = [identity('Person', 5n), identity('Person', '5'), identity('Movie', 5)]
  for (const [position, one] of added.entries()) positions.add(one, position)
  // 5 and 5.0 need different expressions, and are equal.
  expect([identity('Person', 5), ...added, identity('Movie', '5')].map(positions.of)).toEqual([0, 0, 1, 2, -1])
  expect([0, 1, 2].map(positions.at)).toEqual(added)
})
