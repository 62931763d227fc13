import { expect, test } from 'vitest'
import { readOptions } from '../../bench/options.ts'

const read = (...args: string[]) => readOptions(args, ['driver', 'nodes-1'], ['s3proxy', 'ceph'])

test('the defaults are all lanes, four rounds, scale 1 and S3Proxy', () => {
  expect(read()).toEqual({ rounds: 4, lanes: null, scale: 1, fresh: false, store: 's3proxy' })
  expect(read('--rounds', '2', '--lanes', 'nodes-1,driver', '--scale', '0.1', '--fresh', '--store', 'ceph')).toEqual({
    rounds: 2,
    lanes: ['nodes-1', 'driver'],
    scale: 0.1,
    fresh: true,
    store: 'ceph',
  })
})

test.each([
  [['--rounds', '0'], '--rounds: a whole number from 1 to 100'],
  [['--rounds', 'x'], '--rounds: a whole number from 1 to 100'],
  [['--scale', '0'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--scale', '0.07'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--scale', '21'], '--scale: a number from 0.05 to 20, in steps of 0.05'],
  [['--lanes', 'driver,drivers'], '--lanes: there is no drivers, only driver, nodes-1'],
  [['--store', 'minio'], '--store: there is no minio, only s3proxy, ceph'],
  [['--round', '1'], "Unknown option '--round'"],
  [['fresh'], 'Unexpected argument'],
])('the options %j are rejected', (args, message) => {
  expect(() => read(...args)).toThrow(message)
})
