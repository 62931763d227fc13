import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextSearch, filterOf } from '../../../shared/storage/listing/name-filter.ts'

/** Few characters, so that texts are often pieces of each other; two of them make one code point. */
const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\ud83d', '\ude00'), { minLength, maxLength }).map((units) => units.join(''))

test('a search finds what begins with any of the texts and what holds any of them', () => {
  const counts = { starts: 0, inside: 0 }
  fc.assert(
    fc.property(fc.array(text(1, 5), { minLength: 1, maxLength: 6 }), text(0, 8), (texts, name) => {
      const { startsAny, isInside } = createTextSearch(texts)
      expect(startsAny(name)).toBe(texts.some((one) => name.startsWith(one)))
      expect(isInside(name)).toBe(texts.some((one) => name.includes(one)))
      if (startsAny(name)) counts.starts++
      if (isInside(name)) counts.inside++
    }),
    { numRuns: 2_000, seed: 7 },
  )
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(200)
})

test('names are compared with 10,000 texts in the time of a few', () => {
  const texts = Array.from({ length: 10_000 }, (_, at) => `${'1'.repeat(90)}${String(at).padStart(5, 'x')}Part`)
  const filter = filterOf('acme', texts)
  const name = `acme/${'1'.repeat(880)}`
  const before = process.threadCpuUsage()
  for (let round = 0; round < 50; round++) {
    expect(filter?.is(`${name}${round}`)).toBe(false)
    expect(filter?.mayBe(`${name}${round}`)).toBe(false)
  }
  // One after the other they took 12 ms for each name, twice for the names of packets.
  expect(process.threadCpuUsage(before).user / 1e3).toBeLessThan(600)
})
