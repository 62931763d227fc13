import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { createUniqueness } from '../../../shared/read/uniqueness.ts'
import { identityOf, identityRule } from '../../../shared/request/identity.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'

const rule = identityRule({ DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }, 'strict')

/** The identity of a node with this id, checked by an origin in which several nodes have it. */
async function isFoundTwice(id: unknown): Promise<boolean> {
  const properties = propertiesOf({ id })
  const identity = identityOf(rule, { labels: ['Person'], properties })
  if ('problem' in identity) return expect.unreachable(identity.problem)
  const uniqueness = createUniqueness(answeringOrigin(() => [[id, true]]))
  uniqueness.add(identity, properties)
  await uniqueness.check(() => {})
  return uniqueness.isDuplicate(identity)
}

const noon = (offset: bigint) => new neo4j.types.Time(12n, 0n, 0n, 0n, offset)

test.each([
  ['a list of times, of which one is given by its fields', [noon(3_600n), noon(3_601n)]],
  ['a list of times as text', [noon(3_600n), noon(0n)]],
  ['a large integer', 2n ** 60n],
  ['a text', 'p1'],
])('with numbers strict, a duplicate id that is %s is noticed', async (_, id) => {
  expect(await isFoundTwice(id)).toBe(true)
})
