import { expect, test } from 'vitest'
import { createTextSet } from '../../../client/replay/hash-set.ts'

test('a set knows each text it was given, and no other, however many there are', () => {
  const set = createTextSet()
  const texts = Array.from({ length: 50_000 }, (_, index) => `text ${index}`)
  expect(texts.every((text) => set.add(text))).toBe(true)
  expect(texts.every((text) => set.has(text) && !set.add(text))).toBe(true)
  expect(texts.some((text) => set.has(`another ${text}`))).toBe(false)
})
