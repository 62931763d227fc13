import { expect, test } from 'vitest'
import { readOptions } from '../../bench/options.ts'

const read = (...args: string[]) => readOptions(args, ['driver', 'nodes-1'])

test('the defaults are all lanes, four rounds and scale 1', () => {
  expect(read()).toEqual({ rounds: 4, lanes: null, scale: 1, fresh: false })
  expect(read('--rounds', '2', '--lanes', 'nodes-1,driver', '--scale', '0.1', '--fresh')).toEqual({
    rounds: 2,
    lanes: ['nodes-1', 'driver'],
    scale: 0.1,
    fresh: true,
  })
})

test.each([
  [['--rounds', '0'], '--rounds: a whole number from 1 to 100'],
  [['--rounds', 'x'], '--rounds: a whole number from 1 to 100'],
  [['--scale', '0'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--scale', '0.07'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--scale', '21'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--lanes', 'driver,drivers'], '--lanes: there is no drivers, only driver, nodes-1'],
  [['--round', '1'], "Unknown option '--round'"],
  [['fresh'], 'Unexpected argument'],
])('the options %j are rejected', (args, message) => {
  expect(() => read(...args)).toThrow(message)
})
