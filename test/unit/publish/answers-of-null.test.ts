import { describe, expect, test } from 'vitest'
import { readNodes } from '../../../shared/read/nodes.ts'
import { nothingLearned, type Reading } from '../../../shared/read/reading.ts'
import { readRelationshipRows } from '../../../shared/read/relationship-rows.ts'
import { findTargets } from '../../../shared/read/targets.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { request } from '../valid-request.ts'

/** An origin that answers null for what exists must not cause deletions. Only its second answer tells what is deleted. */

const broke = { status: 502, code: 'originBroke' }
const type = { type: 'KNOWS', direction: 'out' as const }

/** Reads from an origin that answers these rows, and `second` when it is asked whether an element exists. */
function readingOf(rows: unknown[][], second: unknown[][], fields = {}): Reading {
  const { request: parsed } = parsePublishRequest(request({ relationships: ['KNOWS>'], ...fields }))
  const origin = answeringOrigin((query) => (query.includes('coalesce(') ? second : rows))
  return { ...nothingLearned(), origin, plan: planOf(parsed), sizes: { probe: 10, group: 10, chunk: 10 } }
}

const whole = [8n, 1n, 9n, ['Person'], [null, 'far'], {}, 1n]

describe.each(['fail', 'skip'])('relationships, with %s', (onUnpublishable) => {
  const read = (row: unknown[], second: unknown[][]) =>
    readRelationshipRows(readingOf([whole, row], second, { onUnpublishable }), type, { match: '', parameters: {} })

  describe.each([
    ['no far end', [7n, 1n, null, null, null, null, null]],
    ['no start', [7n, 1n, 2n, ['Person'], [null, 'x'], { k: 1n }, null]],
    ['another start', [7n, 1n, 2n, ['Person'], [null, 'x'], { k: 1n }, 5n]],
    ['no properties', [7n, 1n, 2n, ['Person'], [null, 'x'], null, 1n]],
    ['a far end without values', [7n, 1n, 2n, ['Person'], null, { k: 1n }, 1n]],
    ['a far end with too few values', [7n, 1n, 2n, ['Person'], [null], { k: 1n }, 1n]],
    ['a far end without labels', [7n, 1n, 2n, null, null, { k: 1n }, 1n]],
  ])('%s', (what, row) => {
    test(`a relationship read with ${what} that exists breaks the publish off (${onUnpublishable})`, async () => {
      await expect(read(row, [[7n, 1n, 2n, false, false]])).rejects.toMatchObject(broke)
    })

    test(`a relationship read with ${what} that is gone is left out (${onUnpublishable})`, async () => {
      expect((await read(row, []))?.elements).toMatchObject([{ relationship: 8 }])
    })
  })

  test(`a relationship whose far end still has no id is kept (${onUnpublishable})`, async () => {
    const found = await read([7n, 1n, 2n, ['Person'], [null, null], {}, 1n], [[7n, 1n, 2n, false, true]])
    expect(found?.elements).toMatchObject([{ relationship: 8 }, { relationship: 7 }])
  })

  test(`a relationship whose internal id another one has taken over is left out (${onUnpublishable})`, async () => {
    const found = await read([7n, 1n, 2n, ['Person'], [null, null], {}, 1n], [[7n, 4n, 5n, false, false]])
    expect(found?.elements).toMatchObject([{ relationship: 8 }])
  })
})

describe.each(['fail', 'skip'])('a far end or a node that gets its id while it is read, with %s', (onUnpublishable) => {
  const bare = [7n, 1n, 2n, ['Person'], [null, null], { k: 1n }, 1n]
  const fields = { onUnpublishable }

  test(`a relationship whose far end has an id at the second look ends with originChanged (${onUnpublishable})`, async () => {
    const read = (second: unknown[][], rows: unknown[][] = [bare]) =>
      readRelationshipRows(readingOf(rows, second, fields), type, { match: '', parameters: {} })
    await expect(read([[7n, 1n, 2n, false, false]])).rejects.toMatchObject({
      status: 502,
      code: 'originChanged',
      retryable: true,
      message: expect.stringContaining('the node 2 had another label or id at first'),
    })
    expect((await read([]))?.elements).toEqual([])
    // What the origin hides says more than what changes.
    const hidden = [6n, 1n, 3n, ['Person'], [null, 'x'], { k: 1n }, null]
    const second = [
      [7n, 1n, 2n, false, false],
      [6n, 1n, 3n, false, false],
    ]
    await expect(read(second, [bare, hidden])).rejects.toMatchObject(broke)
  })

  test.each([
    [true, [1n, ['Person'], {}]],
    [undefined, [1n, ['Person'], [null, null]]],
  ])(
    `a node that has an id at the second look ends with originChanged (metadata: %s, ${onUnpublishable})`,
    async (metadata, row) => {
      const read = (second: unknown[][]) => readNodes(readingOf([row], second, { metadata, ...fields }), [1])
      await expect(read([[1n, false]])).rejects.toMatchObject({ code: 'originChanged' })
      expect((await read([[1n, true]]))?.elements).toMatchObject([{ node: 1 }])
      expect((await read([]))?.elements).toEqual([])
    },
  )
})

describe.each([true, undefined])('nodes, with metadata: %s', (metadata) => {
  const read = (row: unknown[], second: unknown[][]) => readNodes(readingOf([row], second, { metadata }), [1])

  test.each([
    ['null in place of properties', [1n, ['Person'], null]],
    ['null in place of labels', [1n, null, null]],
  ])(`a node that is read with %s and exists breaks the publish off (metadata: ${metadata})`, async (_, row) => {
    await expect(read(row, [[1n, false]])).rejects.toMatchObject(broke)
    await expect(read(row, [[1n, true]])).rejects.toMatchObject(broke)
    expect((await read(row, []))?.elements).toEqual([])
  })
})

describe.each([
  ['toLayer', { toLayer: ['KNOWS>'], relationships: undefined }],
  ['more ids than are read at once', { targetFilter: 'Person' }],
])('ids, with %s', (what, fields) => {
  /** Answers these rows of ids, `second` when it is asked whether a node exists, and that the layers lead nowhere. */
  function find(ids: unknown[][], second: unknown[][]) {
    const { request: parsed } = parsePublishRequest(request({ originIds: ['p1', 'p2'], metadata: true, ...fields }))
    const sizes = { probe: 10, group: 10, chunk: 1 }
    const rows = Array(4).fill([9n, ['Person'], { id: 'p1' }])
    const origin = answeringOrigin((query) => {
      if (query.includes(' IS NULL')) return second
      if (query.includes('IN $values RETURN')) return ids
      return query.includes('LIMIT 2') ? rows : []
    })
    return findTargets({ ...nothingLearned(), origin, plan: planOf(parsed), sizes })
  }

  test(`a node whose id is answered as null, and that has one, breaks the publish off (${what})`, async () => {
    const rows = [
      [9n, 'p1', true],
      [8n, null, true],
    ]
    await expect(find(rows, [[8n, false]])).rejects.toMatchObject(broke)
  })

  test(`a node whose id is answered as null, and that is gone or has lost it, is missing (${what})`, async () => {
    const rows = [
      [9n, 'p1', true],
      [8n, null, true],
    ]
    for (const second of [[], [[8n, true]]]) expect((await find(rows, second)).missing).toEqual(['p2'])
  })

  test(`a node whose id has become a value that no request can name is missing (${what})`, async () => {
    const rows = [
      [9n, 'p1', true],
      [8n, ['a list'], true],
    ]
    expect((await find(rows, [[8n, false]])).missing).toEqual(['p2'])
  })
})

test('a record with more in it than its columns breaks the publish off', async () => {
  const reading = readingOf([[...whole, null]], [])
  await expect(readRelationshipRows(reading, type, { match: '', parameters: {} })).rejects.toMatchObject(broke)
})
