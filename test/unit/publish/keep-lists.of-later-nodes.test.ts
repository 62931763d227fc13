import { expect, test } from 'vitest'
import { renderValue } from '../../../shared/cypher/values.ts'
import { createIdentityPositions } from '../../../shared/publish/build/cleanup/identity-positions.ts'
import { createKeepLists } from '../../../shared/publish/build/cleanup/keep-lists.ts'
import { createLaterKeepLists } from '../../../shared/publish/build/cleanup/later-keep-lists.ts'
import type { KeepList } from '../../../shared/publish/pairs/statements/cleanup.ts'
import { listIds } from '../../../shared/publish/read/internal-ids.ts'
import type { Identity } from '../../../shared/publish/request/identity.ts'

const rendered = (value: unknown) => renderValue(value) ?? expect.unreachable()
const identity = (label: string, id: unknown): Identity => ({ label, idProperty: 'id', id: rendered(id) })

const count = 1_000
/** The internal id of the node at a position. */
const node = (position: number) => 10 * position + 7
const nodes = await listIds(Array.from({ length: count }, (_, position) => node(position)))

/** Keep lists, with the nodes at positions 0 to 3 already read. */
function lists(relationshipIdField: string | null = null) {
  const identities = createIdentityPositions(count)
  const read = [
    identity('Person', 'p0'),
    identity('Person', 1n),
    identity('Movie', 2n ** 60n),
    identity('Person', 'p3'),
  ]
  for (const [position, one] of read.entries()) identities.add(one, position)
  const relationships = ['KNOWS', 'LIKES'].map((type) => ({ type, direction: 'both' as const }))
  const keepLists = createKeepLists()
  return {
    keepLists,
    later: createLaterKeepLists({ relationships, relationshipIdField }, nodes, identities, keepLists),
  }
}

const shown = (taken: KeepList[] | null) =>
  taken?.map(({ clause, ids }) => {
    const kind = clause.by === 'farEnd' ? `${clause.direction} ${clause.label}` : clause.field
    return `${kind} ${clause.id.wrap ?? 'plain'}: ${[...ids].join()}`
  })

// At, next to and across the boundaries of blocks.
const positions = [4, 126, 127, 128, 129, 255, 256, 511, 512, 900, 998, 999]

test.each([1, 7, 100, 128, 129, 1_000])('far ends are delivered to nodes read %i at a time', (atOnce) => {
  const { keepLists, later } = lists()
  for (const far of [3, 0, 1, 2]) {
    for (const position of positions) {
      later.keepFarEnd(position, 'KNOWS', far === 1 ? 'in' : 'out', node(far))
      if (position % 2 === 0) later.keepFarEnd(position, 'LIKES', 'in', node(far))
    }
  }
  for (let start = 0; start < count; start += atOnce) {
    const end = Math.min(count, start + atOnce)
    later.openUpTo(end)
    for (let position = start; position < end; position++) {
      expect(later.isLater(position)).toBe(false)
      const isThere = positions.includes(position)
      const [movie, person] = [' Movie toInteger: "1152921504606846976"', ' Person plain: ']
      expect(shown(keepLists.take(node(position), 'KNOWS'))).toEqual(
        isThere ? [`out${movie}`, `out${person}"p3","p0"`, `in${person}1`] : [],
      )
      expect(shown(keepLists.take(node(position), 'LIKES'))).toEqual(
        isThere && position % 2 === 0 ? [`in${movie}`, `in${person}"p3","p0",1`] : [],
      )
    }
  }
})

test('entries can be added for a later node, and come last', () => {
  const { keepLists, later } = lists()
  later.keepFarEnd(300, 'KNOWS', 'out', node(3))
  later.openUpTo(255)
  expect(later.isLater(300)).toBe(true)
  later.keepFarEnd(300, 'KNOWS', 'out', node(0))
  later.openUpTo(299)
  expect(later.isLater(300)).toBe(false)
  keepLists.keepFarEnd(node(300), 'KNOWS', 'out', identity('Person', 'p299'))
  later.openUpTo(400)
  expect(shown(keepLists.take(node(300), 'KNOWS'))).toEqual(['out Person plain: "p3","p0","p299"'])
})

test('relationship ids are delivered to their nodes unchanged', () => {
  const { keepLists, later } = lists('grn')
  const ids = ['r1', 'two\nlines', '€ and 😀', 2n ** 60n, 5n, '', 'r1']
  for (const [index, id] of ids.entries()) {
    later.keepId(127, 'KNOWS', rendered(id))
    later.keepId(128 + index, 'LIKES', rendered(id))
  }
  later.openUpTo(128)
  expect(shown(keepLists.take(node(127), 'KNOWS'))).toEqual([
    String.raw`grn plain: "r1","two\nlines","€ and 😀",5,""`,
    'grn toInteger: "1152921504606846976"',
  ])
  expect(keepLists.take(node(131), 'LIKES')).toEqual([])
  later.openUpTo(count)
  const each = ids.map((_, index) => shown(keepLists.take(node(128 + index), 'LIKES'))?.join())
  expect(each).toEqual([
    'grn plain: "r1"',
    String.raw`grn plain: "two\nlines"`,
    'grn plain: "€ and 😀"',
    'grn toInteger: "1152921504606846976"',
    'grn plain: 5',
    'grn plain: ""',
    'grn plain: "r1"',
  ])
})

test('keepSome and suppressCleanup are delivered to their nodes', () => {
  const { keepLists, later } = lists()
  for (const position of positions) later.keepSome(position, 'KNOWS')
  for (const position of [126, 128, 999]) later.suppressCleanup(position, 'LIKES')
  later.openUpTo(count)
  const all = Array.from({ length: count }, (_, position) => position)
  expect(all.filter((position) => keepLists.take(node(position), 'KNOWS')?.length !== 0)).toEqual(positions)
  expect(all.filter((position) => keepLists.take(node(position), 'LIKES') === null)).toEqual([126, 128, 999])
})
