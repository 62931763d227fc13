import { expect, test } from 'vitest'
import {
  type IndexedType,
  type IndexPolicy,
  indexNames,
  indexPolicy,
} from '../../../../shared/models/search/index-policy.ts'
import { busySeconds } from '../../../support/programs/busy-seconds.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
/** The policy of a model with only these node types. */
async function policyOf(
  nodeTypes: readonly IndexedType[],
  custom: { indexName: string | null } | null = null,
  names = indexNames(nodeTypes.map(({ key }) => key)),
  leftOut: readonly string[] = [],
): Promise<IndexPolicy> {
  const keys = nodeTypes.map(({ key }) => key)
  let text = ''
  for await (const piece of indexPolicy({ policyName: 'films', keys, nodeTypes, names, leftOut, custom, now }))
    text += piece
  return JSON.parse(text)
}

const movie = { key: 'Movie', properties: ['title', 'released'] }
const person = { key: 'Person', properties: ['name'] }

test('a policy has one index for each node type, in the order and the shape of the specification', async () => {
  expect(JSON.stringify(await policyOf([movie, person]), null, 1)).toMatchSnapshot()
})

test('the custom policy runs in parallel, has no broker, and tokenizer and suggester for view requirements', async () => {
  expect(JSON.stringify(await policyOf([movie, person], { indexName: null }), null, 1)).toMatchSnapshot()
})

test('without node types there are no indexes', async () => {
  const policy = await policyOf([])
  expect(policy.indexes).toEqual({})
  expect(policy.metadata.description).toBe('Generated index policy for node types: [].')
})

test('a node type without properties has an index with an empty schema', async () => {
  const policy = await policyOf([{ ...movie, properties: [] }])
  expect(policy.indexes.movie?.schema).toEqual({})
})

test('the only index of a custom policy has the requested name; several indexes keep their own', async () => {
  const custom = { indexName: 'films-index' }
  const one = await policyOf([movie], custom)
  expect(Object.keys(one.indexes)).toEqual(['films-index'])
  expect(one.indexes['films-index']?.indexData.displayName).toBe('films-index')
  const two = await policyOf([movie, person], custom)
  expect(Object.keys(two.indexes)).toEqual(['movie', 'person'])
})

test('keys that differ only in case have separate indexes', async () => {
  const nodeTypes = ['Movie', 'movie', 'MOVIE'].map((key) => ({ key, properties: [] }))
  const { indexes } = await policyOf(nodeTypes)
  expect(
    Object.entries(indexes).map(([name, index]) => [name, index.indexStrategies.defaultFull?.anchorLabel]),
  ).toEqual([
    ['movie', 'Movie'],
    ['movie-2', 'movie'],
    ['movie-3', 'MOVIE'],
  ])
})

test('a property may be named like a built-in property of JavaScript objects', async () => {
  const nodeTypes = [{ key: 'Odd', properties: ['__proto__', 'constructor', '2', 'a b'] }]
  const { indexes } = await policyOf(nodeTypes)
  expect(Object.keys(indexes.odd?.schema ?? {}).sort()).toEqual(['2', '__proto__', 'a b', 'constructor'])
})

test('index names do not depend on the selection, and stay the same when the model grows', async () => {
  const names = indexNames(['zed', 'Zed-2', 'Zed', 'ZED'])
  expect([...names]).toEqual([
    ['zed', 'zed'],
    ['Zed-2', 'zed-2'],
    ['Zed', 'zed-3'],
    ['ZED', 'zed-4'],
  ])
  expect(indexNames(['zed', 'Zed-2', 'Zed']).get('Zed')).toBe('zed-3')
  const policy = await policyOf([{ key: 'Zed', properties: [] }], { indexName: null }, names, ['a\\b'])
  expect([Object.keys(policy.indexes), policy.metadata.leftOut]).toEqual([['zed-3'], ['a\\b']])
})

test('16,000 keys that differ only in case get their numbers in linear time', () => {
  const cases = (bits: number) =>
    Array.from('abcdefghijklmn', (letter, at) => (bits & (1 << at) ? letter.toUpperCase() : letter)).join('')
  const keys = Array.from({ length: 16_000 }, (_, at) => cases(at))
  const names = new Map<string, string>()
  const seconds = busySeconds(() => {
    for (const [key, name] of indexNames([...keys, 'Abcdefghijklmn-2', 'abcdefghijklmn-2'])) names.set(key, name)
  })
  expect(seconds).toBeLessThan(1)
  expect(new Set(names.values()).size).toBe(16_002)
  expect([names.get(keys[0] as string), names.get(keys[1] as string), names.get(keys[15_999] as string)]).toEqual([
    'abcdefghijklmn',
    'abcdefghijklmn-3',
    'abcdefghijklmn-16001',
  ])
  expect([names.get('Abcdefghijklmn-2'), names.get('abcdefghijklmn-2')]).toEqual([
    'abcdefghijklmn-2',
    'abcdefghijklmn-2-2',
  ])
})
