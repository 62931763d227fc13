import { expect, test } from 'vitest'
import { median } from '../../bench/numbers.ts'
import { sharesOf } from '../../bench/profile-lane.ts'
import { ratiosOf } from '../../bench/ratios.ts'
import type { Measured } from '../../bench/results.ts'

const round = (statements: number, seconds: number, more: Partial<Measured> = {}): Measured =>
  ({ statements, seconds, clientCpu: 1, databaseCpu: 1, peakMB: 100, ...more }) as Measured

/** The ratios that have a target, with their names. */
const withBars = (lanes: Record<string, Measured[]>) =>
  ratiosOf((lane) => lanes[lane] ?? [], 1)
    .filter(({ name }) => name !== '')
    .map(({ name, value, verdict }) => [name, value, verdict])

test('the median of an odd and of an even number of values', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([7])]).toEqual([2, 2.5, 7])
})

test('a ratio compares medians, and is judged against its target and its stretch target', () => {
  const told = withBars({
    driver: [1, 9, 2].map((clientCpu) => round(1_000, 1, { clientCpu })),
    'nodes-1': [round(1_000, 1, { clientCpu: 0.8 })],
    'apoc-nodes-stored': [round(1_000, 1)],
    'apoc-nodes-slices-stored': [round(1_000, 0.8)],
  })
  expect(told.slice(0, 2)).toEqual([
    ['R1', 0.4, 'pass'],
    ['R2s', 0.8, 'miss'], // Compared with the faster of the two APOC variants.
  ])
})

test('a ratio that meets its stretch target is reported so, and an unmeasured one has no verdict', () => {
  const told = withBars({
    'memory-100k': [round(100_000, 1, { peakMB: 100 })],
    'memory-1m': [round(1_000_000, 10, { peakMB: 104 })],
  })
  expect(told.filter(([name]) => name === 'R4')).toEqual([
    ['R4', 1.04, 'stretch'],
    ['R4', 104, 'stretch'],
  ])
  expect(told.filter(([name]) => name !== 'R4').every(([, , verdict]) => verdict === '-')).toBe(true)
})

test('a sample is attributed to the innermost file on its stack that is not internal to Node', () => {
  const node = (id: number, url: string, children: number[] = [], functionName = 'f') => ({
    id,
    callFrame: { functionName, url },
    children,
  })
  const nodes = [
    node(1, '', [2, 6, 7, 8], '(root)'),
    node(2, 'file:///here/worker/run-job.ts', [3]),
    node(3, 'file:///here/shared/publish/build-packet.ts', [4]),
    node(4, 'file:///here/node_modules/ioredis/built/Redis.js', [5]),
    node(5, 'node:net'),
    node(6, '', [], '(idle)'),
    node(7, '', [], '(garbage collector)'),
    node(8, 'file:///here/shared/jobs/stored/stored-request.ts'),
  ]
  const shares = sharesOf({ nodes, samples: [5, 2, 3, 6, 7, 8], timeDeltas: [10, 10, 20, 500, 10, 50] })
  expect(shares).toEqual({
    requestShare: 0.5,
    queueShare: 0.2,
    driverShare: 0,
    storeShare: 0,
    publishShare: 0.2,
    otherShare: 0,
  })
})
