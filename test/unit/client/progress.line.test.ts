import { expect, test } from 'vitest'
import { progressLine } from '../../../client/progress.ts'
import { durationText, remainingSeconds } from '../../../client/remaining.ts'
import { faultText, type JsonFault, jsonFault } from '../../../client/request/json-fault.ts'

test('a line of progress has percentage, remaining time and rate, and fits the terminal', () => {
  const step = { done: 77, total: 100, text: 'reading: 61,858 pairs, 12 parts, 14.5 MB', count: 61_858 }
  for (const columns of [40, 79, 80, 81, 140, 300]) expect(progressLine(step, 60, columns).length).toBeLessThan(columns)
  expect(progressLine(step, 60, 140)).toMatch(/^█{31}░{9} 77% \| 18 s left \| 1,031\/s \| reading: .*14\.5 MB$/)
  expect(progressLine(step, 60, 60)).toMatch(/…$/)
  expect(progressLine({ done: 0, total: null, text: 'queued' }, 60, 80)).toMatch(/^░{40} 0% \| queued$/)
})

test('the remaining time is not estimated too early, nor at the end', () => {
  expect([1, 2, 50, 100].map((done) => remainingSeconds(done, 100, 10))).toEqual([null, 490, 10, null])
  expect([remainingSeconds(50, 100, 2), remainingSeconds(0, 0, 60)]).toEqual([null, null])
  expect([0, 4.4, 80, 3_600, 7_500, 273_600].map(durationText)).toEqual([
    ...['0 s', '4 s', '1 min 20 s', '1 h', '2 h 5 min', '3 d 4 h'],
  ])
})

test.each([
  ['{"a": [1, 2.5e3, "x\\u00e9", {}, [], null]}', null],
  ['', 'line 1, column 1: expected a value'],
  ['{"a": 1,\n  }', 'line 2, column 3: expected a name in quotes'],
  ['{"a" 1}', 'line 1, column 6: expected a colon'],
  ['{"a": 1\n "b": 2}', 'line 2, column 2: expected a comma or }'],
  ['[1 2]', 'line 1, column 4: expected a comma or ]'],
  ['[1, 01]', 'line 1, column 6: expected a comma or ]'],
  ['{"a": }', 'line 1, column 7: expected a value'],
  ['[{}]]', 'line 1, column 5: expected the end of the text'],
  ['{"a": "tab\there"}', 'line 1, column 7: expected a value'],
])('%j is JSON, or the fault has its line and column', (text, fault) => {
  const found = jsonFault(text)
  expect(found && faultText(found as JsonFault)).toBe(fault && `not valid JSON: ${fault}`)
  const parses = () => JSON.parse(text)
  if (fault === null) expect(parses).not.toThrow()
  else expect(parses).toThrow(SyntaxError)
})
