import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHeldBudget } from '../../../shared/origin/held-budget.ts'
import { Rows } from '../../../shared/origin/rows.ts'

const mebibyte = 1024 * 1024

function openRows(limitBytes = Number.POSITIVE_INFINITY) {
  let refused = 0
  const share = createHeldBudget(limitBytes).open('org', () => {
    refused++
  })
  return { share, rows: new Rows(share, () => undefined), refused: () => refused }
}

test('rows hold the bytes of each record, however many there are and however large they are', () => {
  const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(3_000), fc.constantFrom(65_535, 65_536, 65_537)), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(sizes, (all) => {
      const { rows } = openRows()
      const records = all.map((size, index) => Buffer.alloc(size, index % 251))
      for (const record of records) rows.add(record)
      expect(rows.length).toBe(records.length)
      for (const [index, record] of records.entries())
        expect(rows.bytes.subarray(rows.start(index), rows.end(index)).equals(record)).toBe(true)
      rows.release()
    }),
  )
})

test('the memory of rows counts in the budget, and release gives it back', () => {
  const { share, rows } = openRows()
  for (let count = 0; count < 10; count++) rows.add(Buffer.alloc(mebibyte, count))
  expect(share.bytes).toBe(rows.bytes.length)
  expect(share.bytes).toBeGreaterThanOrEqual(10 * mebibyte)
  // Doubling never takes more than twice what is needed.
  expect(share.bytes).toBeLessThan(20 * mebibyte)
  rows.release()
  expect([share.bytes, rows.length, rows.bytes.length]).toEqual([0, 0, 0])
  rows.release()
  expect(share.bytes).toBe(0)
})

test('rows that exceed the budget are refused, and what they held is free for others', () => {
  const { share, rows, refused } = openRows(4 * mebibyte)
  rows.add(Buffer.alloc(mebibyte))
  expect(refused()).toBe(0)
  rows.add(Buffer.alloc(4 * mebibyte))
  expect([refused(), share.bytes]).toEqual([1, 0])
})

test('rows that reuse released memory count it, and have only their own records', () => {
  const first = openRows()
  first.rows.add(Buffer.alloc(2 * mebibyte, 1))
  first.rows.release()
  const { share, rows } = openRows()
  rows.add(Buffer.from([7, 8, 9]))
  expect(share.bytes).toBe(rows.bytes.length)
  expect([...rows.bytes.subarray(rows.start(0), rows.end(0))]).toEqual([7, 8, 9])
  rows.release()
  expect(share.bytes).toBe(0)
})
