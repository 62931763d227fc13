import { expect, test } from 'vitest'
import { type IndexedType, type IndexPolicy, indexNames, indexPolicy } from '../../shared/search/index-policy.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
/** The text of a policy of a model that has these node types only. */
function textOf(nodeTypes: readonly IndexedType[], custom: { indexName: string | null } | null = null) {
  const names = indexNames(nodeTypes.map(({ key }) => key))
  return [...indexPolicy({ policyName: 'films', nodeTypes, names, leftOut: [], custom, now })].join('')
}
const policyOf = (...order: Parameters<typeof textOf>): IndexPolicy => JSON.parse(textOf(...order))

const movie = { key: 'Movie', properties: ['title', 'released'] }
const person = { key: 'Person', properties: ['name'] }

test('a policy has one index for each node type, in the order and the shape of the specification', () => {
  expect(JSON.stringify(policyOf([movie, person]), null, 1)).toMatchSnapshot()
})

test('the custom policy runs in parallel, has no broker, and tokenizer and suggester for view requirements', () => {
  expect(JSON.stringify(policyOf([movie, person], { indexName: null }), null, 1)).toMatchSnapshot()
})

test('without node types there are no indexes', () => {
  const policy = policyOf([])
  expect(policy.indexes).toEqual({})
  expect(policy.metadata.description).toBe('Generated index policy for node types: [].')
})

test('a node type without properties has an index with an empty schema', () => {
  const policy = policyOf([{ ...movie, properties: [] }])
  expect(policy.indexes.movie?.schema).toEqual({})
})

test('the one index of a custom policy bears the name that was asked for, one of several its own', () => {
  const custom = { indexName: 'films-index' }
  const one = policyOf([movie], custom)
  expect(Object.keys(one.indexes)).toEqual(['films-index'])
  expect(one.indexes['films-index']?.indexData.displayName).toBe('films-index')
  const two = policyOf([movie, person], custom)
  expect(Object.keys(two.indexes)).toEqual(['movie', 'person'])
})

test('keys that differ in case only have indexes of their own', () => {
  const nodeTypes = ['Movie', 'movie', 'MOVIE'].map((key) => ({ key, properties: [] }))
  const { indexes } = policyOf(nodeTypes)
  expect(
    Object.entries(indexes).map(([name, index]) => [name, index.indexStrategies.defaultFull?.anchorLabel]),
  ).toEqual([
    ['movie', 'Movie'],
    ['movie-2', 'movie'],
    ['movie-3', 'MOVIE'],
  ])
})

test('a property may be named like what JavaScript objects have', () => {
  const nodeTypes = [{ key: 'Odd', properties: ['__proto__', 'constructor', '2', 'a b'] }]
  const { indexes } = policyOf(nodeTypes)
  expect(Object.keys(indexes.odd?.schema ?? {}).sort()).toEqual(['2', '__proto__', 'a b', 'constructor'])
})

test('an index has the same name whatever else is asked for, and when the model has grown', () => {
  const names = indexNames(['zed', 'Zed-2', 'Zed', 'ZED'])
  expect([...names]).toEqual([
    ['zed', 'zed'],
    ['Zed-2', 'zed-2'],
    ['Zed', 'zed-3'],
    ['ZED', 'zed-4'],
  ])
  expect(indexNames(['zed', 'Zed-2', 'Zed']).get('Zed')).toBe('zed-3')
  const zed = { key: 'Zed', properties: [] }
  const order = { policyName: 'p', nodeTypes: [zed], names, leftOut: ['a\\b'], custom: { indexName: null }, now }
  const policy: IndexPolicy = JSON.parse([...indexPolicy(order)].join(''))
  expect([Object.keys(policy.indexes), policy.metadata.leftOut]).toEqual([['zed-3'], ['a\\b']])
})
