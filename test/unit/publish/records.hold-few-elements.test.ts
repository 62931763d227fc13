import { expect, test } from 'vitest'
import { columnsOf } from '../../../shared/publish/read/columns.ts'
import { elementsPerRecord, isDoubtful, queryOfRecords } from '../../../shared/publish/read/records.ts'

test('a record holds eight elements, or fewer if as many of the largest would take more than 2 MiB', () => {
  const sizes = [0, 500, 262_144, 262_145, 524_289, 1_048_576, 1_048_577, 30_000_000, Number.POSITIVE_INFINITY]
  expect(sizes.map(elementsPerRecord)).toEqual([8, 8, 8, 7, 3, 2, 1, 1, 1])
})

const columns = columnsOf([{ keys: ['since'], values: [1n], columns: null }], [], null)
if (columns === null) throw new Error('no columns')

test('elements are collected, and each is read where its record is made', () => {
  const one = { match: 'MATCH (n)', variable: 'n', bound: ['n'], head: (n: string) => [`id(${n})`] }
  expect(queryOfRecords(one, columns)).toMatchInlineSnapshot(
    `"MATCH (n) WITH collect(n) AS found UNWIND range(0, size(found) - 1, $elements) AS at RETURN [x IN found[at..at + $elements] | reduce(row = null, p IN [properties(x)] | [p.\`since\`, toFloat(size(keys(p))), id(x)])]"`,
  )
  const head = (r: string, n: string) => [`id(${r})`, `id(${n})`]
  const several = { match: 'MATCH (n)-[r]->()', variable: 'r', bound: ['r', 'n'], head }
  expect(queryOfRecords(several, columns)).toMatchInlineSnapshot(
    `"MATCH (n)-[r]->() WITH collect([r, n]) AS found UNWIND range(0, size(found) - 1, $elements) AS at RETURN [x IN found[at..at + $elements] | reduce(row = null, p IN [properties(x[0])] | [p.\`since\`, toFloat(size(keys(p))), id(x[0]), id(x[1])])]"`,
  )
})

test('a row without any of the expected properties may be of a deleted element', () => {
  const none = columnsOf([], [], null)
  if (none === null) throw new Error('no columns')
  expect(
    [
      [1n, 1, 7, null],
      [null, 1, 7, null],
      [null, 0, 7, null],
    ].map((row) => isDoubtful(columns, row)),
  ).toEqual([false, false, true])
  expect(
    [
      [0, 7, null],
      [0, 7, []],
      [1, 7, []],
    ].map((row) => isDoubtful(none, row)),
  ).toEqual([false, true, false])
})
