import { expect, test } from 'vitest'
import type { Identity } from '../../../packet/identity.ts'
import type { WrittenPair } from '../../../packet/pair.ts'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { createCleanup, type RequestCleanup } from '../../../shared/publish/write/cleanup/cleanup.ts'
import { listIds } from '../../../shared/read/internal-ids.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'
import { request } from '../valid-request.ts'

const rendered = (value: unknown) => renderValue(value) ?? expect.unreachable()
const identity = (label: string, id: unknown): Identity => ({ label, idProperty: 'id', id: rendered(id) })
const firstIdentities = [
  identity('Person', 'p0'),
  identity('Person', 1n),
  identity('Movie', 2n ** 60n),
  identity('Person', 'p3'),
]
const identityAt = (position: number) => firstIdentities[position] ?? identity('Person', `p${position}`)

const count = 1_000
/** The internal id of the node at a position. */
const node = (position: number) => 10 * position + 7
const nodes = listIds(Array.from({ length: count }, (_, position) => node(position)))

const both = (type: string) => ({ type, direction: 'both' as const })

/** A cleanup that has opened the nodes at positions 0 to 3. */
function cleanupOf(fields: object): RequestCleanup {
  const asked = parsePublishRequest(request({ relationships: ['KNOWS', 'LIKES'], ...fields }))
  expect(asked.issues).toEqual([])
  const cleanup = createCleanup(planOf(asked.request), createPairMaker('dollar'), nodes)
  open(cleanup, 0, 4)
  return cleanup
}

function open(cleanup: RequestCleanup, start: number, end: number) {
  const chunk = nodes.slice(start, end)
  const identities = new Map(chunk.map((id, index) => [id, identityAt(start + index)]))
  cleanup.open({ start, nodes: chunk, rows: [], identities, skipped: new Set(), searchIds: new Map() })
}

/** A relationship read from the node at a position, to the targeted node at another. */
function read(position: number, farPosition: number | null, type: string, isOutgoing = true, grn: unknown = null) {
  const far = { node: node(farPosition ?? count), labels: [], properties: propertiesOf({}) }
  const properties = propertiesOf({ grn })
  const row = { node: node(position), relationship: 1, isOutgoing, far, properties }
  return { row, type: both(type), position, farPosition }
}

const publish = (cleanup: RequestCleanup, position: number, farPosition: number, type: string, isOutgoing = true) =>
  cleanup.keepPublished(
    read(position, farPosition, type, isOutgoing),
    identityAt(position),
    identityAt(farPosition),
    null,
  )

const pairAt = (cleanup: RequestCleanup, position: number, type: string) =>
  cleanup.pairFor(position, identityAt(position), both(type))

/** What a cleanup keeps: each clause of its statement, with the list of ids. */
function kept(pair: WrittenPair | 'suppressed' | null): string[] | 'suppressed' | null {
  if (pair === null || pair === 'suppressed') return pair
  const { statement } = pair.shape
  const clauses = statement.matchAll(
    /(startNode|endNode)?[^(]{0,9}(?:\(r\) = n AND )?coalesce\((?:m:`(\w+)` AND )?[mr]\.`\w+` IN \$?(ids_\d)/g,
  )
  return [...clauses].map(([, end, label, list]) => {
    const ids = new RegExp(`"${list}":\\[(.*?)\\](,"ids_|$)`).exec(pair.parameters)?.[1]
    const wrap = new RegExp(`\\$${list} \\| (\\w+)\\(x\\)`).exec(statement)?.[1] ?? 'plain'
    const what = label === undefined ? 'id' : `${end === 'startNode' ? 'out' : 'in'} ${label}`
    return `${what} ${wrap}: ${ids}`
  })
}

// At, next to and across the boundaries of blocks.
const positions = [4, 126, 127, 128, 129, 255, 256, 511, 512, 900, 998, 999]
const [movie, person] = [' Movie toInteger: "1152921504606846976"', ' Person plain: ']

test.each([1, 7, 100, 128, 129, 1_000])('far ends are kept for later nodes, read %i at a time', (atOnce) => {
  const cleanup = cleanupOf({})
  for (const near of [3, 0, 1, 2]) {
    for (const position of positions) {
      publish(cleanup, near, position, 'KNOWS', near === 1)
      if (position % 2 === 0) publish(cleanup, near, position, 'LIKES')
    }
  }
  for (let start = 4; start < count; start += atOnce) {
    const end = Math.min(count, start + atOnce)
    open(cleanup, start, end)
    for (let position = start; position < end; position++) {
      const isThere = positions.includes(position)
      expect(kept(pairAt(cleanup, position, 'KNOWS'))).toEqual(
        isThere ? [`out${movie}`, `out${person}"p3","p0"`, `in${person}1`] : [],
      )
      expect(kept(pairAt(cleanup, position, 'LIKES'))).toEqual(
        isThere && position % 2 === 0 ? [`in${movie}`, `in${person}"p3","p0",1`] : [],
      )
    }
  }
})

test('far ends are kept at both ends, in the order in which they were published', () => {
  const cleanup = cleanupOf({})
  publish(cleanup, 3, 300, 'KNOWS', false)
  open(cleanup, 4, 255)
  publish(cleanup, 4, 300, 'KNOWS', false)
  open(cleanup, 255, 299)
  publish(cleanup, 256, 300, 'KNOWS', false)
  open(cleanup, 299, 400)
  publish(cleanup, 299, 300, 'KNOWS', false)
  expect(kept(pairAt(cleanup, 300, 'KNOWS'))).toEqual(['out Person plain: "p3","p4","p256","p299"'])
  expect(kept(pairAt(cleanup, 299, 'KNOWS'))).toEqual(['in Person plain: "p300"'])
})

test('lists of nodes that cannot be published are dropped with their chunk', () => {
  const cleanup = cleanupOf({})
  publish(cleanup, 0, 2, 'KNOWS')
  open(cleanup, 4, 10)
  expect(kept(pairAt(cleanup, 2, 'KNOWS'))).toEqual([])
})

test('relationship ids are kept unchanged', () => {
  const cleanup = cleanupOf({ relationshipIdField: 'grn', deleteRelationshipById: true })
  // Each character has three bytes, which is more than twice what a letter has.
  const tokyo = '東京都'.repeat(50)
  const ids = ['r1', 'two\nlines', '€ and 😀', tokyo, 2n ** 60n, 5n, '', 'r1']
  for (const [index, id] of ids.entries()) {
    expect(cleanup.keepRead(read(0, 127, 'KNOWS', true, id))).toBe(true)
    expect(cleanup.keepRead(read(0, 128 + index, 'LIKES', true, id))).toBe(true)
  }
  open(cleanup, 4, 128)
  expect(kept(pairAt(cleanup, 127, 'KNOWS'))).toEqual([
    String.raw`id plain: "r1","two\nlines","€ and 😀","${tokyo}",5,""`,
    'id toInteger: "1152921504606846976"',
  ])
  open(cleanup, 128, count)
  expect(ids.map((_, index) => kept(pairAt(cleanup, 128 + index, 'LIKES')))).toEqual([
    ['id plain: "r1"'],
    [String.raw`id plain: "two\nlines"`],
    ['id plain: "€ and 😀"'],
    [`id plain: "${tokyo}"`],
    ['id toInteger: "1152921504606846976"'],
    ['id plain: 5'],
    ['id plain: ""'],
    ['id plain: "r1"'],
  ])
})

test('far ends and relationship ids are kept together, also for later nodes', () => {
  const cleanup = cleanupOf({ relationshipIdField: 'grn' })
  for (const id of ['r1', 2n ** 60n]) {
    cleanup.keepPublished(read(2, 300, 'KNOWS'), identityAt(2), identityAt(300), rendered(id))
  }
  open(cleanup, 4, 400)
  const large = `"${2n ** 60n}"`
  const lists = `"ids_0":[[${large},"r1"]],"ids_1":[[${large},${large}]]`
  expect((pairAt(cleanup, 300, 'KNOWS') as WrittenPair).parameters).toContain(lists)
})

test('a relationship id is kept at both ends', () => {
  const cleanup = cleanupOf({ relationshipIdField: 'grn', deleteRelationshipById: true })
  expect(cleanup.keepRead(read(0, 2, 'KNOWS', true, 'r1'))).toBe(true)
  expect([0, 2].map((position) => kept(pairAt(cleanup, position, 'KNOWS')))).toEqual([
    ['id plain: "r1"'],
    ['id plain: "r1"'],
  ])
})

test('where only types with no relationship left are removed, one relationship suffices to leave both ends alone', () => {
  const cleanup = cleanupOf({ metadata: false, relationshipDeleteOnly: true })
  for (const position of positions) expect(cleanup.keepRead(read(0, position, 'KNOWS'))).toBe(true)
  open(cleanup, 4, count)
  const all = Array.from({ length: count }, (_, position) => position)
  expect(all.filter((position) => pairAt(cleanup, position, 'KNOWS') === null)).toEqual([0, ...positions])
  expect(all.filter((position) => pairAt(cleanup, position, 'LIKES') === null)).toEqual([])
})

test.each([{}, { relationshipIdField: 'grn', deleteRelationshipById: true }, { relationshipDeleteOnly: true }])(
  'a skipped relationship suppresses the cleanups at its ends: %o',
  (fields) => {
    const cleanup = cleanupOf({ metadata: false, ...fields })
    for (const position of [126, 128, 999]) cleanup.suppress(read(1, position, 'LIKES'))
    cleanup.suppress(read(2, null, 'LIKES'))
    open(cleanup, 4, count)
    const all = Array.from({ length: count }, (_, position) => position)
    expect(all.filter((position) => pairAt(cleanup, position, 'LIKES') === 'suppressed')).toEqual([1, 2, 126, 128, 999])
    expect(all.filter((position) => pairAt(cleanup, position, 'KNOWS') === 'suppressed')).toEqual([])
  },
)

test('with preventCleanup there is no cleanup', () => {
  const cleanup = cleanupOf({ preventCleanup: true })
  publish(cleanup, 0, 2, 'KNOWS')
  cleanup.suppress(read(0, 2, 'KNOWS'))
  expect(pairAt(cleanup, 0, 'KNOWS')).toBeNull()
})
