import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import neo4j from 'neo4j-driver'
import { expect, test } from 'vitest'
import { propertyFindings } from '../../../packet/check/finding.ts'
import { areSame, shownValue } from '../../../packet/check/shown-value.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

test.each([
  [1n, '1 (integer)'],
  [1, '1.0 (float)'],
  [-0, '-0.0 (float)'],
  [Number.NaN, 'NaN (float)'],
  ['a"b', '"a\\"b" (string)'],
  [true, 'true (boolean)'],
  [[1n, 1], '[1, 1.0] (list)'],
  [undefined, 'none'],
  [null, 'none'],
  [new neo4j.types.Date(2020n, 2n, 1n), '2020-02-01 (date)'],
  [new neo4j.types.Point(7203n, -0, 0.5), 'point({srid: 7203, x: -0.0, y: 0.5}) (point)'],
  [new Int8Array(3), '3 bytes (byte array)'],
])('%s is shown as %s', (value, text) => {
  expect(shownValue(value)).toBe(text)
})

test('the text of a long value is short, and does not keep the value in memory', () => {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const texts: string[] = []
  for (let index = 0; index < 100; index++) {
    texts.push(shownValue(`${index}`.padEnd(1_000_000, 'x')), shownValue([`${index}`.padEnd(1_000_000, 'y')]))
  }
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(100)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
})

test('a point with the coordinate -0.0 is not the point with 0.0', () => {
  const pointAt = (x: number) => new neo4j.types.Point(7203n, x, 1)
  expect(areSame(pointAt(-0), pointAt(-0))).toBe(true)
  expect(areSame(pointAt(-0), pointAt(0))).toBe(false)
})

test('a property that is set to null is absent', () => {
  expect(propertyFindings('n', {}, { gone: null }, {}, [])).toEqual([])
  const [finding] = propertyFindings('n', { gone: 1n }, { gone: null }, {}, [])
  expect(finding).toEqual({ kind: 'propertyDiffers', text: 'n.gone: packet none, target 1 (integer)' })
})

test('a value that the driver cannot read is the same if the server says so', () => {
  const unreadable = () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('no such zone')
        },
        has() {
          throw new Error('no such zone')
        },
        ownKeys() {
          throw new Error('no such zone')
        },
      },
    )
  expect([true, false, undefined].map((areEqual) => areSame(unreadable(), unreadable(), areEqual))).toEqual([
    true,
    false,
    false,
  ])
  expect(shownValue(unreadable())).toBe('unreadable (datetime)')
})
