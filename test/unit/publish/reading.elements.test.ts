import { expect, test } from 'vitest'
import { readProperties } from '../../../shared/origin/properties.ts'
import { elementsOf, nothingLearned, rowsAtOnce } from '../../../shared/read/reading.ts'
import { driverOf, recordOf, rowsOf } from '../../support/origins/packstream.ts'

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const wide = (count: number) => Object.fromEntries(numbered(count, 'k').map((key) => [key, true]))

const { pack } = driverOf('5x0')

/** Reads nodes of these labels and properties, as a publish does. */
function read(count: number, labels: readonly string[], properties: object) {
  const learned = nothingLearned()
  const rows = rowsOf([])
  const record = recordOf([pack(labels), pack(properties)])
  for (let left = count; left > 0; left--) rows.add(record)
  const found = elementsOf(learned, rows, 'nodes', (row, source) => ({
    labels: learned.labels.nodes.read(row),
    properties: readProperties(row, learned.shapes.nodes, source),
  }))
  return { found, rows, atOnce: rowsAtOnce(learned, 'nodes') }
}

test.each([
  ['labels', 60, numbered(10_000, 'L'), {}],
  ['keys', 10, ['Person'], wide(60_000)],
])('elements that share no %s end the read, and fewer are read at once then', (_, count, labels, properties) => {
  const { found, rows, atOnce } = read(count, labels, properties)
  expect([found, rows.length, rows.bytes.length]).toEqual([null, 0, 0])
  expect(atOnce).toBeGreaterThanOrEqual(1)
  expect(atOnce).toBeLessThan(count / 2)
})

test('elements that share their labels and keys are read, however many they are', () => {
  const { found } = read(2_000, ['Person'], wide(300))
  expect(found?.elements).toHaveLength(2_000)
})

test('a single element of more keys and labels than many may have is read', () => {
  const { found } = read(1, numbered(10_000, 'L'), wide(495_000))
  expect(found?.elements.map(({ labels }) => labels.length)).toEqual([10_000])
})
