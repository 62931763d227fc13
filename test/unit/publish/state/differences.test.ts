import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differences } from '../../../../shared/publish/state/lines.ts'
import { createSorter } from '../../../../shared/publish/state/sorter.ts'

type State = Record<string, string[] | undefined>

// Few keys, of which some begin like others, so that most lines are in both states.
const keys = ['["n","P","id",1]', '["n","P","id",11]', '["n","P","id","ä\\t"]', '["r","P","id",1]', '["c"]']
const more = Array.from({ length: 40 }, (_, index) => `["n","Q","id",${index}]`)
const payload = fc.constantFrom('', '\t', '\t=x', '\ts', '\ta["n","P","id",1]')
const state = fc.record(
  Object.fromEntries([...keys, ...more].map((key) => [key, fc.uniqueArray(payload, { maxLength: 3 })])),
  { requiredKeys: [] },
)
const mostlyLike = (first: State) =>
  fc.tuple(state, fc.uniqueArray(fc.constantFrom(...keys, ...more))).map(([other, changed]) => ({
    ...first,
    ...Object.fromEntries(changed.map((key) => [key, other[key] ?? []])),
  }))

/** The lines of a state, sorted, in chunks of `each` buckets. */
function chunksOf(of: State, each: number): Buffer[] {
  using sorter = createSorter()
  for (const [key, payloads] of Object.entries(of))
    for (const one of payloads ?? []) sorter.addLines(Buffer.from(`${key}${one}\n`))
  const buckets = Array.from(sorter.takeLines(), (bytes) => Buffer.from(bytes))
  return Array.from({ length: Math.ceil(buckets.length / each) }, (_, at) =>
    Buffer.concat(buckets.slice(at * each, (at + 1) * each)),
  )
}

const payloadsIn = (of: State, key: string) => (of[key] ?? []).map((one) => (one === '' ? null : one.slice(1))).sort()

test('every key of which two states say different things is found once, however their lines are divided', async () => {
  const pairs = state.chain((first) => fc.tuple(fc.constant(first), mostlyLike(first)))
  const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }))
  const found = fc.asyncProperty(pairs, sizes, async ([first, second], [one, other]) => {
    const seen = new Map<string, unknown>()
    for await (const [a, b] of differences(chunksOf(first, one), chunksOf(second, other))) {
      const { key } = (a ?? b) as { key: string }
      expect(seen.has(key)).toBe(false)
      seen.set(key, [(a?.payloads ?? []).toSorted(), (b?.payloads ?? []).toSorted()])
    }
    for (const key of [...keys, ...more]) {
      const expected = [payloadsIn(first, key), payloadsIn(second, key)]
      const isEqual = JSON.stringify(expected[0]) === JSON.stringify(expected[1])
      // A key with several lines may be found although the states agree about it.
      if (seen.has(key) || !isEqual) expect(seen.get(key)).toEqual(expected)
    }
  })
  await fc.assert(found, { numRuns: 100 })
})

test('a key is left out if both states have the same line of it, and no other', async () => {
  const lines = more.map((key) => [key, ['']])
  const [first, second] = [Object.fromEntries(lines), Object.fromEntries(lines.slice(1))]
  const found: unknown[] = []
  for await (const [a, b] of differences(chunksOf(first, 300), chunksOf(second, 300))) found.push([a?.key, b?.key])
  expect(found.length).toBeLessThan(4)
  expect(found).toContainEqual([more[0], undefined])
})

test('the sources of the lines are closed before an error is thrown', async () => {
  const ended: string[] = []
  async function* endless(name: string, letter: string) {
    try {
      for (let at = 0; ; at++) yield Buffer.from(`["n","${letter}","id",${at}]\n`)
    } finally {
      await setImmediate()
      ended.push(name)
    }
  }
  const read = async () => {
    for await (const _ of differences(endless('new', 'A'), endless('base', 'B'))) throw new Error('too many')
  }
  await expect(read()).rejects.toThrow('too many')
  expect(ended.sort()).toEqual(['base', 'new'])
})
