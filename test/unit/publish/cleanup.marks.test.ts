import { expect, test } from 'vitest'
import { createMarks } from '../../../shared/publish/write/cleanup/marks.ts'

test('marks are found until their block is dropped, and only at their position and type', () => {
  const marks = createMarks()
  const positions = [0, 7, 8, 1_023, 1_024, 5_000]
  for (const position of positions) marks.add(position, 'A')
  const found = (type: string) =>
    Array.from({ length: 6_000 }, (_, position) => position).filter((position) => marks.has(position, type))
  expect([found('A'), found('B')]).toEqual([positions, []])
  marks.dropBefore(1_023)
  expect(found('A')).toEqual(positions)
  marks.dropBefore(1_024)
  expect(found('A')).toEqual([1_024, 5_000])
  marks.dropBefore(10_000)
  expect(found('A')).toEqual([])
})

test('a mark of each of 2,000 types at one of a million nodes takes little memory', () => {
  const before = process.memoryUsage().arrayBuffers
  const marks = createMarks()
  for (let type = 0; type < 2_000; type++) marks.add(999_999, `T${type}`)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  expect(marks.has(999_999, 'T1999')).toBe(true)
})
