import { describe, expect, test } from 'vitest'
import { keyProblem, shapeOf } from '../../../../api/http/body/json-shape.ts'
import { createMulti } from '../../../../api/publish/create-multi.ts'
import { createRelationships } from '../../../../api/publish/create-relationships.ts'
import type { Issue } from '../../../../shared/errors/app-error.ts'
import * as errors from '../../../../shared/errors/catalogue.ts'
import { worstMultis, worstPairs, worstRepeats, worstShapes } from '../../../support/clients/worst-bodies.ts'
import { busySeconds } from '../../../support/programs/busy-seconds.ts'

const longestSeconds = 2

/** The synchronous work between parsing a body and responding. */
function readWith(read: (body: unknown) => { issues: readonly Issue[] }, text: string) {
  const body: unknown = JSON.parse(text)
  let answer = ''
  const seconds = busySeconds(() => {
    const shape = shapeOf(Buffer.from(text))
    const problem = shape.problem ?? keyProblem(body, text, shape.keys)
    const { issues } = problem === null ? read(body) : { issues: [{ path: '', message: problem }] }
    answer = issues.length === 0 ? '' : errors.invalidRequest(issues).message
  })
  return { seconds, answer }
}

describe('the largest body of multi is validated within the limit', () => {
  test.each(Object.entries(worstMultis))(
    'the largest body of multi is validated within the limit: %s',
    (_what, make) => {
      const read = (body: unknown) => createMulti.body?.read(body, {}) ?? expect.unreachable()
      const { seconds, answer } = readWith(read, make())
      expect(seconds).toBeLessThan(longestSeconds)
      expect(answer.length).toBeLessThan(1_000_000)
    },
  )
})

describe('the largest body of createrelationships is validated within the limit', () => {
  test.each([
    ['numbers', () => '0'],
    ['ids that are no integers', () => '{"startId":"","endId":""}'],
    ['fields that are unknown', () => '{"startID":"","endID":"","more":0}'],
  ])('the largest body of createrelationships is validated within the limit: %s', (_what, item) => {
    const read = (body: unknown) => createRelationships.body?.read(body, {}) ?? expect.unreachable()
    const { seconds, answer } = readWith(read, worstPairs(item))
    expect(seconds).toBeLessThan(longestSeconds)
    expect(answer).toMatch(/idPairs\[99\]/)
    expect(answer.length).toBeLessThan(1_000_000)
  })
})

describe('a duplicate key after the maximum number of other keys is reported within the limit', () => {
  test.each(Object.entries(worstRepeats))(
    'a duplicate key after the maximum number of other keys is reported within the limit: %s',
    (_what, make) => {
      const text = make()
      expect(shapeOf(Buffer.from(text)).problem).toBeNull()
      const { seconds, answer } = readWith(() => ({ issues: [] }), text)
      expect(answer).toBe('the body must not have the key "twice" twice in one object')
      expect(seconds).toBeLessThan(longestSeconds)
    },
  )
})

describe('a shape that is slow to parse is rejected before parsing', () => {
  test.each(Object.entries(worstShapes))(
    'a shape that is slow to parse is rejected before parsing: %s',
    (_what, [make, message]) => {
      const bytes = Buffer.from(make())
      let problem: string | null = null
      const seconds = busySeconds(() => {
        problem = shapeOf(bytes).problem
      })
      expect(problem).toMatch(message)
      expect(seconds).toBeLessThan(longestSeconds)
    },
  )

  test('brackets, colons and quotes in strings do not count', () => {
    const text = JSON.stringify({ '[{:"': ['[[[[{{{{', '\\', '\\"[', '":'.repeat(20_000)] })
    expect(shapeOf(Buffer.from(text)).problem).toBeNull()
  })

  test('the maximum number of id pairs is accepted', () => {
    const text = worstPairs((index) => `{"startId":"${index}","endId":"b"}`)
    expect(shapeOf(Buffer.from(text)).problem).toBeNull()
  })
})

test('a text with a character that is not ASCII counts with two bytes for each of its characters', () => {
  const heapOf = (text: string) => shapeOf(Buffer.from(text)).heapBytes
  const ascii = 'a'.repeat(10_000)
  const [plain, wide, escaped] = [JSON.stringify([ascii]), JSON.stringify([`${ascii}生`]), `["${ascii}\\u751f"]`]
  expect(heapOf(plain)).toBeLessThan(11_000)
  for (const text of [wide, escaped]) expect(heapOf(text)).toBeGreaterThan(20_000)
})
