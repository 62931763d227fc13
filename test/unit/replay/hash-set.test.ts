import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHashSet } from '../../../client/replay/hash-set.ts'

/** Hashes that often share bytes with others, so that they collide in the table. Their lowest two bits do not count. */
const anyHash = fc
  .tuple(fc.nat(3), fc.nat(2), fc.nat(2), fc.nat(2))
  .map((numbers) => Uint32Array.from(numbers, (number) => 4 * number))

const textOf = (words: Uint32Array) => words.join()

test('a hash set agrees with a Set of texts, whatever collides and however it grows', () => {
  fc.assert(
    fc.property(fc.array(anyHash), fc.array(anyHash), fc.constantFrom(1, 2, 8, 1_024), (added, met, slots) => {
      const [set, texts] = [createHashSet(slots), new Set(added.map(textOf))]
      for (const one of added) set.add(one)
      expect(set.size).toBe(texts.size)
      expect(met.map((one) => set.mark(one))).toEqual(met.map((one) => texts.has(textOf(one))))
      expect(set.marked).toBe(new Set(met.map(textOf).filter((text) => texts.has(text))).size)
      // Marks do not hide anything, and survive further growth.
      for (const one of [...added, ...met]) set.add(one)
      expect(set.size).toBe(new Set([...added, ...met].map(textOf)).size)
      expect(met.every((one) => set.mark(one))).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a hash set keeps a hundred thousand digests, and mistakes no other for one of them', () => {
  const digest = (number: number) => new Uint32Array(new Uint8Array(hash('sha256', String(number), 'buffer')).buffer)
  const set = createHashSet()
  for (let number = 0; number < 100_000; number++) set.add(digest(number))
  expect(set.size).toBe(100_000)
  for (let number = 0; number < 200_000; number++) {
    if (set.mark(digest(number)) !== number < 100_000) throw new Error(`wrong for ${number}`)
  }
  expect(set.marked).toBe(100_000)
})
