import { describe, expect, test } from 'vitest'
import { readNodes } from '../../../shared/publish/read/nodes.ts'
import { nothingLearned, type Reading } from '../../../shared/publish/read/reading.ts'
import { readRelationshipRows } from '../../../shared/publish/read/relationship-rows.ts'
import { planOf } from '../../../shared/publish/request/plan.ts'
import { parsePublishRequest } from '../../../shared/publish/request/rules.ts'
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
    ['a far end of null values', [7n, 1n, 2n, ['Person'], [null, null], { k: 1n }, 1n]],
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

test('a record with more in it than its columns breaks the publish off', async () => {
  const reading = readingOf([[...whole, null]], [])
  await expect(readRelationshipRows(reading, type, { match: '', parameters: {} })).rejects.toMatchObject(broke)
})
