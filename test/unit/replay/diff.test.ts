import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diff } from '../../../client/replay/diff/diff.ts'
import type { PacketSource } from '../../../client/replay/source/load-part.ts'
import { render } from '../../../packet/cypher/parameters.ts'
import { statementOf } from '../../../packet/kinds/kinds.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { nodeUpsert, pairOf, partsWithManifest, relationshipUpsert, sourceOf } from '../../support/replay/replaying.ts'
import { anyStructure } from './any-structure.ts'

const { signal } = new AbortController()

async function differenceOf(old: PacketSource, other: PacketSource) {
  const added: Pair[] = []
  const report = await diff(old, other, { added: (pair) => void added.push(pair), signal })
  return { ...report, added }
}

/** Whether a packet of the first pair lacks the second. */
const differ = async (one: Pair, other: Pair) =>
  (await differenceOf(sourceOf([one]), sourceOf([other]))).onlyNew.pairs === 1

const withParameters = (json: string): Pair =>
  parsePart(`{"statements":[{"statement":"RETURN $a","parameters":${json}}]}`)[0] as Pair

test('diff reports the pairs that only one of the packets has, over all parts', async () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => nodeUpsert('Person', id)) as [Pair, Pair, Pair, Pair]
  const knows = relationshipUpsert('Person', 'c', 'd')
  const found = await differenceOf(sourceOf([a, b], [b, pairOf('RETURN 1', {})]), sourceOf([d, knows], [a, c]))
  expect(found).toMatchObject({
    old: { pairs: 4 },
    new: { pairs: 4 },
    onlyNew: {
      pairs: 3,
      statements: { nodeUpsert: 2, relationshipUpsert: 1 },
      needed: [{ label: 'Person', property: 'id' }],
    },
    onlyOld: 2,
    upserts: { all: 4, inOld: 1 },
    added: [d, knows, c],
  })
})

test('packets with the same pairs in another order differ in nothing, a repeated pair included', async () => {
  const [a, b] = [nodeUpsert('Person', 'a'), nodeUpsert('Person', 'b')]
  expect(await differenceOf(sourceOf([a, b]), sourceOf([b], [a, b]))).toMatchObject({ added: [], onlyOld: 0 })
})

test('diff reports a pair as often as the new packet repeats it', async () => {
  const [a, b] = [nodeUpsert('Person', 'a'), nodeUpsert('Person', 'b')]
  expect((await differenceOf(sourceOf([a]), sourceOf([b, a, b]))).added).toEqual([b, b])
})

test('metadata makes no difference', async () => {
  const pair = nodeUpsert('Person', 'a')
  expect(await differ(pair, { ...pair, metadata: { qa: {} } })).toBe(false)
})

describe('parameters', () => {
  test.each([
    ['1', '1.0'],
    ['0.0', '-0.0'],
    ['9007199254740992', '9007199254740993'],
    ['"1"', '1'],
    ['null', '"null"'],
    ['[1,2]', '[2,1]'],
    ['[[1],2]', '[1,[2]]'],
    ['{"x":1}', '{"y":1}'],
  ])('the parameters %s and %s differ', async (one, other) => {
    expect(await differ(withParameters(`{"a":${one}}`), withParameters(`{"a":${other}}`))).toBe(true)
  })

  test.each([
    ['{"a":1,"b":{"x":1.5,"y":[]}}', '{"b":{"y":[],"x":1.5},"a":1}'],
    ['{"__proto__":1,"2":2,"10":3,"a":4}', '{"a":4,"10":3,"2":2,"__proto__":1}'],
    ['{"a":1.50}', '{"a":15e-1}'],
  ])('the parameters %s and %s are equal', async (one, other) => {
    expect(await differ(withParameters(one), withParameters(other))).toBe(false)
  })

  test('parameters are equal in any order of their keys, and differ where their values do', async () => {
    // Without integers beyond 64 bits, which no packet has.
    const anyValue = fc.jsonValue({ maxDepth: 2 }).filter((value) => !/\d{19}/.test(JSON.stringify(value)))
    const anyJson = fc.dictionary(fc.string(), anyValue, { maxKeys: 5 })
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      const entries = Object.entries(value).map(([key, one]) => [key, reversed(one)])
      return Object.fromEntries(entries.toReversed())
    }
    const property = fc.asyncProperty(anyJson, anyJson, async (one, other) => {
      const [a, b, c] = [one, reversed(one), other].map((value) => withParameters(JSON.stringify(value)))
      expect(await differ(a as Pair, b as Pair)).toBe(false)
      expect(await differ(a as Pair, c as Pair)).toBe(!isDeepStrictEqual(a, c))
    })
    await fc.assert(property)
  })
})

test('every statement of the service is equal in both parameter syntaxes, and differs from any other', async () => {
  const property = fc.asyncProperty(anyStructure, anyStructure, async (one, other) => {
    const [text, otherText] = [statementOf(one).text, statementOf(other).text]
    const braces = pairOf(render(text, 'braces'), {})
    expect(await differ(braces, pairOf(render(text, 'dollar'), {}))).toBe(false)
    const isSame = render(text, 'dollar') === render(otherText, 'dollar')
    expect(await differ(braces, pairOf(render(otherText, 'dollar'), {}))).toBe(!isSame)
  })
  await fc.assert(property)
})

test('statements that the service does not write are compared by their text', async () => {
  expect(await differ(pairOf('RETURN {a}', { a: 1n }), pairOf('RETURN $a', { a: 1n }))).toBe(true)
  const other = pairOf('CREATE (:Log)', {})
  expect(await differenceOf(sourceOf([other]), sourceOf([other]))).toMatchObject({ added: [], onlyOld: 0 })
  expect((await differenceOf(sourceOf([]), sourceOf([other]))).onlyNew.statements).toEqual({ other: 1 })
})

describe('a part that is not what its manifest says is broken:', () => {
  const good = sourceOf([nodeUpsert('Person', 'a')])
  const kept = partsWithManifest([], [nodeUpsert('Person', 'a')], [nodeUpsert('Person', 'b')])
  const withSecond = (change: object): PacketSource => ({
    ...kept,
    parts: kept.parts.map((part, index) => (index === 1 ? { ...part, ...change } : part)),
  })
  test.each([
    ['its digest', { sha256: '0'.repeat(64) }, /^part 2 of 2 \(people\.jsonPart2of2\): sha256 is /],
    ['its pairs', { pairs: 2 }, /^part 2 of 2 .*: it has 1 pairs, the manifest says 2/],
    ['its JSON', { sha256: null, read: async () => Buffer.from('{') }, /^part 2 of 2 .*: not valid JSON$/],
  ])('a part that is not what its manifest says is broken: %s', async (_what, change, message) => {
    const expected = { kind: 'broken', message: expect.stringMatching(message) }
    await expect(differenceOf(good, withSecond(change))).rejects.toMatchObject(expected)
    await expect(differenceOf(withSecond(change), good)).rejects.toMatchObject(expected)
  })
})

test('the digest of a packet is the one in its manifest', async () => {
  const source = partsWithManifest([], [nodeUpsert('Person', 'a')])
  const { sha256 } = source.parts[0] as { sha256: string }
  const { old } = await differenceOf(source, source)
  expect(old.sha256).toBe(hash('sha256', sha256))
})

test('diff ends when its signal is aborted', async () => {
  const source = sourceOf([nodeUpsert('Person', 'a')])
  await expect(diff(source, source, { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})
