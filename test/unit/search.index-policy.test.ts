import { expect, test } from 'vitest'
import { indexPolicy } from '../../shared/search/index-policy.ts'

const now = new Date('2026-01-02T03:04:05.678Z')
const movie = { key: 'Movie', properties: ['title', 'released'] }
const person = { key: 'Person', properties: ['name'] }

test('a policy has one index for each node type, in the order and the shape of the specification', () => {
  const policy = indexPolicy({ policyName: 'films', nodeTypes: [movie, person], custom: null, now })
  expect(JSON.stringify(policy, null, 1)).toMatchSnapshot()
})

test('the custom policy runs in parallel, has no broker, and tokenizer and suggester for view requirements', () => {
  const policy = indexPolicy({ policyName: 'films', nodeTypes: [movie, person], custom: { indexName: null }, now })
  expect(JSON.stringify(policy, null, 1)).toMatchSnapshot()
})

test('without node types there are no indexes', () => {
  const policy = indexPolicy({ policyName: 'films', nodeTypes: [], custom: null, now })
  expect(policy.indexes).toEqual({})
  expect(policy.metadata.description).toBe('Generated index policy for node types: [].')
})

test('a node type without properties has an index with an empty schema', () => {
  const policy = indexPolicy({ policyName: 'films', nodeTypes: [{ ...movie, properties: [] }], custom: null, now })
  expect(policy.indexes.movie?.schema).toEqual({})
})

test('the one index of a custom policy bears the name that was asked for, one of several its own', () => {
  const custom = { indexName: 'films-index' }
  const one = indexPolicy({ policyName: 'films', nodeTypes: [movie], custom, now })
  expect(Object.keys(one.indexes)).toEqual(['films-index'])
  expect(one.indexes['films-index']?.indexData.displayName).toBe('films-index')
  const two = indexPolicy({ policyName: 'films', nodeTypes: [movie, person], custom, now })
  expect(Object.keys(two.indexes)).toEqual(['movie', 'person'])
})

test('keys that differ in case only have indexes of their own', () => {
  const nodeTypes = ['Movie', 'movie', 'MOVIE'].map((key) => ({ key, properties: [] }))
  const { indexes } = indexPolicy({ policyName: 'films', nodeTypes, custom: null, now })
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
  const { indexes } = indexPolicy({ policyName: 'odd', nodeTypes, custom: null, now })
  expect(Object.keys(indexes.odd?.schema ?? {}).sort()).toEqual(['2', '__proto__', 'a b', 'constructor'])
})
