import { expect, test } from 'vitest'
import { parseMulti } from '../../../shared/request/multi.ts'

const base = {
  dbUrl: 'bolt://origin.example',
  credentials: `Basic ${btoa('user:password')}`,
  mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id', Movie: 'title' },
  originIds: ['a'],
  orgName: 'org',
  fileName: 'file',
}
const knows = { ...base, relationships: ['KNOWS'] }
const nodes = { ...base, metadata: true }
const byId = { ...base, relationshipIds: ['r'], relationshipIdField: 'grn', preventCleanup: true }
const issues = (...requests: object[]) => parseMulti(requests).issues.map(({ path, message }) => `${path}: ${message}`)

test.each([
  ['relationshipIdField', { relationshipIdField: 'grn' }],
  ['protectedRelationshipProperties', { protectedRelationshipProperties: ['mine'] }],
])('requests that publish the same relationship type must agree on %s', (field, change) => {
  expect(issues(knows, { ...base, metadata: true }, { ...knows, ...change })).toEqual([
    `[2].${field}: must be the same as in [0]`,
  ])
  expect(issues(knows, { ...knows, relationships: ['LIKES'], ...change })).toEqual([])
  expect(issues({ ...knows, ...change }, { ...knows, ...change })).toEqual([])
})

test('requests that publish the same relationship type must agree on their timestamps', () => {
  const stamped = { ...knows, timestampRelationships: true, timestampProperty: 'at' }
  expect(issues(knows, stamped)).toEqual([
    '[1].timestampRelationships: must be the same as in [0]',
    '[1].timestampProperty: must be the same as in [0]',
  ])
  expect(issues(stamped, { ...stamped, timestampProperty: 'on' })).toEqual([
    '[1].timestampProperty: must be the same as in [0]',
  ])
})

test('relationshipIds can match a relationship of any type', () => {
  expect(issues(knows, byId)).toEqual(['[1].relationshipIdField: must be the same as in [0]'])
})

test('requests that delete relationships by id must agree on the id field with those that publish them', () => {
  const deleting = { ...knows, relationshipDeleteOnly: true, relationshipIdField: 'grn' }
  expect(issues(knows, deleting)).toEqual(['[1].relationshipIdField: must be the same as in [0]'])
  expect(issues(deleting, { ...knows, relationshipIdField: 'id' })).toEqual([
    '[1].relationshipIdField: must be the same as in [0]',
  ])
  expect(issues(deleting, { ...knows, relationshipIdField: 'grn' })).toEqual([])
  expect(issues(deleting, { ...knows, relationships: ['LIKES'] })).toEqual([])
})

test('a request that deletes all relationships of a type agrees with any other', () => {
  expect(issues({ ...knows, relationshipIdField: 'grn' }, { ...knows, relationshipDeleteOnly: true })).toEqual([])
})

test('a postback of one request must not overwrite an id property of another', () => {
  const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
  const stamping = { ...nodes, mappedIndices, postbackTimestamp: true, timestampProperty: 'title' }
  expect(issues(stamping, { ...nodes, mappedIndices: { ...mappedIndices, Movie: 'title' } })).toEqual([
    '[0].timestampProperty: must not be "title", an id property of mappedIndices in [1]',
  ])
})

test.each([
  ['protectedNodeProperties', { protectedNodeProperties: ['secret'] }],
  ['deleteProperties', { deleteProperties: ['nick'] }],
  ['dynamicLabels', { dynamicLabels: { Person: ['Actor'] } }],
])('requests that publish nodes of the same index must agree on %s', (field, change) => {
  expect(issues(nodes, knows, { ...nodes, ...change })).toEqual([`[2].${field}: must be the same as in [0]`])
  expect(issues(nodes, { ...nodes, index: 'Movie', ...change })).toEqual([])
  expect(issues(nodes, { ...nodes, index: 'Movie', toLayer: ['A'], ...change })).toEqual([
    `[1].${field}: must be the same as in [0]`,
  ])
})

test('the order and repetition of names in lists are ignored', () => {
  const labels = { dynamicLabels: { A: ['x', 'y'], B: ['z'] }, deleteProperties: ['p', 'q'] }
  const same = { dynamicLabels: { B: ['z', 'z'], A: ['y', 'x'] }, deleteProperties: ['q', 'p', 'p'] }
  expect(issues({ ...nodes, ...labels }, { ...nodes, ...same })).toEqual([])
})

test('sub-requests that differ in an option name at most 250,000 types together', () => {
  const many = (at: number) => Array.from({ length: 10_000 }, (_, index) => `T${at}x${index}`)
  const all = (last: string, count = 25) => [
    ...Array.from({ length: count }, (_, at) => ({ ...base, relationships: many(at), relationshipIdField: `f${at}` })),
    { ...knows, relationships: [last], relationshipIdField: 'f0' },
  ]
  expect(issues(...all('T0x7'))).toEqual([])
  expect(issues(...all('T1x7'))).toEqual(['[25].relationshipIdField: must be the same as in [1]'])
  expect(issues(...all('another'))).toEqual([
    ': sub-requests that differ in relationshipIdField must not name more than 250000 types together',
  ])
  const alike = all('another').map((request) => ({ ...request, relationshipIdField: 'f' }))
  expect(issues(...alike)).toEqual([])
})
