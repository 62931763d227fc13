import { expect, test } from 'vitest'
import { createSummary } from '../../../api/jobs/jobs-summary.ts'

test('a summary has the twenty commonest causes, each with its newest job, and leaves out the rarest', () => {
  const summary = createSummary()
  // The rarest causes have the newest jobs.
  for (let cause = 1; cause <= 25; cause++) {
    for (let job = 0; job < cause; job++) {
      const error = { status: 422, code: 'unpublishable', message: `cause ${cause}` }
      summary.count({ id: `${cause}-${job}`, state: 'failed', callback: null, error } as const)
    }
  }
  const { states, causes } = summary.read()
  expect(states.failed).toBe((25 * 26) / 2)
  expect(causes.map(({ message, count, newest }) => [message, count, newest])).toEqual(
    Array.from({ length: 20 }, (_, at) => [`cause ${25 - at}`, 25 - at, `${25 - at}-0`]),
  )
})

test('a summary counts 200 different causes, and omits further ones of older jobs', () => {
  const summary = createSummary()
  const count = (message: string) =>
    summary.count({
      id: message,
      state: 'failed',
      callback: null,
      error: { status: 422, code: 'unpublishable', message },
    } as const)
  for (let cause = 1; cause <= 200; cause++) count(`cause ${cause}`)
  for (let times = 0; times < 5; times++) count('cause 201')
  count('cause 200')
  const { states, causes } = summary.read()
  expect([states.failed, causes[0], causes[1]?.count]).toEqual([
    206,
    { code: 'unpublishable', message: 'cause 200', count: 2, newest: 'cause 200' },
    1,
  ])
})
