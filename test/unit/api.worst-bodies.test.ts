import { describe, expect, test } from 'vitest'
import { keyProblem, shapeProblem } from '../../api/json-shape.ts'
import { createMulti } from '../../api/publish/create-multi.ts'
import { createRelationships } from '../../api/publish/create-relationships.ts'
import type { Issue } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { worstMultis, worstPairs, worstShapes } from '../support/worst-bodies.ts'

/** Seconds that this thread was busy, whatever else the machine does. */
function busySeconds(act: () => void): number {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}

const longestSeconds = 2

/** What the event loop does between the parser and the answer. */
function readWith(read: (body: unknown) => { issues: readonly Issue[] }, text: string) {
  const body: unknown = JSON.parse(text)
  let answer = ''
  const seconds = busySeconds(() => {
    const problem = shapeProblem(Buffer.from(text)) ?? keyProblem(body)
    const { issues } = problem === null ? read(body) : { issues: [{ path: '', message: problem }] }
    answer = issues.length === 0 ? '' : errors.invalidRequest(issues).message
  })
  return { seconds, answer }
}

describe('the largest body of multi is read within the time', () => {
  test.each(Object.entries(worstMultis))('%s', (_what, make) => {
    const read = (body: unknown) => createMulti.body?.read(body, {}) ?? expect.unreachable()
    const { seconds, answer } = readWith(read, make())
    expect(seconds).toBeLessThan(longestSeconds)
    expect(answer.length).toBeLessThan(1_000_000)
  })
})

describe('the largest body of createrelationships is read within the time', () => {
  test.each([
    ['numbers', () => '0'],
    ['ids that are no integers', () => '{"startId":"","endId":""}'],
    ['fields that are unknown', () => '{"startID":"","endID":"","more":0}'],
  ])('%s', (_what, item) => {
    const read = (body: unknown) => createRelationships.body?.read(body, {}) ?? expect.unreachable()
    const { seconds, answer } = readWith(read, worstPairs(item))
    expect(seconds).toBeLessThan(longestSeconds)
    expect(answer).toMatch(/idPairs\[99\]/)
    expect(answer.length).toBeLessThan(1_000_000)
  })
})

describe('a shape that takes long to parse is refused before', () => {
  test.each(Object.entries(worstShapes))('%s', (_what, [make, message]) => {
    const bytes = Buffer.from(make())
    let problem: string | null = null
    const seconds = busySeconds(() => {
      problem = shapeProblem(bytes)
    })
    expect(problem).toMatch(message)
    expect(seconds).toBeLessThan(longestSeconds)
  })

  test('brackets, colons and quotes in strings are no shape', () => {
    const text = JSON.stringify({ '[{:"': ['[[[[{{{{', '\\', '\\"[', '":'.repeat(20_000)] })
    expect(shapeProblem(Buffer.from(text))).toBeNull()
  })

  test('as many pairs of ids as a body holds are none', () => {
    expect(shapeProblem(Buffer.from(worstPairs((index) => `{"startId":"${index}","endId":"b"}`)))).toBeNull()
  })
})
