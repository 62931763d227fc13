import { describe, expect, test } from 'vitest'
import { ids, issuesOf } from '../valid-request.ts'

/** The minimal fields that publish relationships by id. */
const byRelationshipId = {
  originIds: undefined,
  relationshipIds: ['r1'],
  relationshipIdField: 'grn',
  preventCleanup: true,
  metadata: undefined,
}

test.each([
  ['nodes only', { metadata: true }],
  ['relationships only', { metadata: undefined, relationships: ['KNOWS'] }],
  ['relationships by id', byRelationshipId],
  ['relationships by id and the nodes at their ends', { ...byRelationshipId, metadata: true }],
  ['relationships by id, filtered', { ...byRelationshipId, originIds: ['p1'], hardFilterRelationships: true }],
  ['the end of several hops', { toLayer: ['KNOWS>', '<LIKES', '`odd>`'] }],
  ['deletions only', { metadata: undefined, relationships: ['KNOWS'], relationshipDeleteOnly: true }],
])('a request may ask for %s', (_what, changes) => {
  expect(issuesOf(changes)).toEqual([])
})

describe('required fields', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['empty', []],
  ])('a request is rejected if originIds and relationshipIds are both %s', (_what, none) => {
    expect(issuesOf({ originIds: none, relationshipIds: none })).toEqual([
      { path: 'originIds', message: 'required when relationshipIds is empty' },
      { path: 'relationshipIds', message: 'required when originIds is empty' },
    ])
  })

  test('originIds is required when hardFilterRelationships is true', () => {
    expect(issuesOf({ ...byRelationshipId, hardFilterRelationships: true })).toEqual([
      { path: 'originIds', message: 'required when hardFilterRelationships is true' },
    ])
  })

  test.each([
    ['absent', undefined],
    ['null', null],
    ['false', false],
  ])(
    'a request without anything to publish is rejected: metadata that is %s and no relationships',
    (_what, metadata) => {
      expect(issuesOf({ metadata, relationships: [], relationshipIds: null })).toEqual([
        { path: 'metadata', message: 'required when relationshipIds and relationships are both empty' },
        { path: 'relationships', message: 'required when metadata is not true and relationshipIds is empty' },
        { path: 'relationshipIds', message: 'required when metadata is not true and relationships is empty' },
      ])
    },
  )

  test('relationships is required when relationshipDeleteOnly is true', () => {
    expect(issuesOf({ relationshipDeleteOnly: true })).toEqual([
      { path: 'relationships', message: 'required when relationshipDeleteOnly is true' },
    ])
  })
})

describe('contradictory fields', () => {
  test('toLayer contradicts relationshipIds', () => {
    expect(issuesOf({ ...byRelationshipId, toLayer: ['KNOWS'] })).toEqual([
      { path: 'toLayer', message: 'must not be given together with relationshipIds' },
    ])
  })

  test('relationships contradicts relationshipIds', () => {
    expect(issuesOf({ ...byRelationshipId, relationships: ['KNOWS'] })).toEqual([
      { path: 'relationships', message: 'must not be given together with relationshipIds' },
    ])
  })

  test('an empty toLayer and empty relationships do not contradict relationshipIds', () => {
    expect(issuesOf({ ...byRelationshipId, toLayer: [], relationships: [] })).toEqual([])
  })

  test.each([
    ['absent', undefined],
    ['null', null],
    ['false', false],
  ])('preventCleanup that is %s contradicts relationshipIds', (_what, preventCleanup) => {
    expect(issuesOf({ ...byRelationshipId, preventCleanup })).toEqual([
      { path: 'preventCleanup', message: 'must be true when relationshipIds are given' },
    ])
  })

  test('preventCleanup contradicts relationshipDeleteOnly if both are true', () => {
    expect(issuesOf({ relationships: ['KNOWS'], preventCleanup: true, relationshipDeleteOnly: true })).toEqual([
      { path: 'preventCleanup', message: 'must not be true together with relationshipDeleteOnly' },
    ])
  })

  // hardFilterRelationships does not require relationshipIds by specification: there is just nothing to filter.
  test('hardFilterRelationships without relationshipIds is no contradiction', () => {
    expect(issuesOf({ relationships: ['KNOWS'], hardFilterRelationships: true })).toEqual([])
  })
})

describe('500 ids', () => {
  const tooMany = (count: number) => [
    {
      path: 'originIds',
      message: `at most 500 ids, originIds and relationshipIds together; there are ${count}, use POST /1.0/publish/multi`,
    },
  ]

  test('500 ids are the limit of one request', () => {
    expect(issuesOf({ originIds: ids(500) })).toEqual([])
    expect(issuesOf({ originIds: ids(501) })).toEqual(tooMany(501))
  })

  test('500 ids are counted over both lists', () => {
    expect(issuesOf({ ...byRelationshipId, originIds: ids(300), relationshipIds: ids(200, 'r') })).toEqual([])
    expect(issuesOf({ ...byRelationshipId, originIds: ids(300), relationshipIds: ids(201, 'r') })).toEqual(tooMany(501))
    expect(issuesOf({ ...byRelationshipId, relationshipIds: ids(501, 'r') })).toEqual(tooMany(501))
  })

  test('500 ids are counted without duplicates', () => {
    expect(issuesOf({ originIds: [...ids(500), ...ids(500)] })).toEqual([])
    expect(
      issuesOf({ ...byRelationshipId, originIds: [...ids(250), ...ids(250)], relationshipIds: ids(250, 'r') }),
    ).toEqual([])
  })
})

describe('relationship types', () => {
  test.each(['toLayer', 'relationships'])('relationship types in %s are a name with at most one arrow', (field) => {
    expect(issuesOf({ [field]: ['KNOWS', '', '<KNOWS>', '>', 'KNO\\WS'] })).toEqual(
      [1, 2, 3, 4].map((index) => ({
        path: `${field}[${index}]`,
        message: 'must be TYPE, TYPE> (outgoing), <TYPE (incoming) or `TYPE`',
      })),
    )
  })
})
