import { describe, expect, test } from 'vitest'
import { issuesOf } from '../valid-request.ts'

describe('relationshipIdField', () => {
  test('relationshipIdField is required with relationshipIds', () => {
    expect(issuesOf({ relationshipIds: ['r1'], preventCleanup: true })).toEqual([
      { path: 'relationshipIdField', message: 'required when relationshipIds are given' },
    ])
  })

  test('relationshipIdField is required when deleteRelationshipById is true', () => {
    expect(issuesOf({ deleteRelationshipById: true })).toEqual([
      { path: 'relationshipIdField', message: 'required when deleteRelationshipById is true' },
    ])
    expect(issuesOf({ deleteRelationshipById: true, relationshipIdField: 'grn' })).toEqual([])
    expect(issuesOf({ deleteRelationshipById: false })).toEqual([])
  })
})

describe('timestampProperty', () => {
  test.each(['timestampRelationships', 'postbackTimestamp'])(
    'timestampProperty must not be an id property if %s uses it',
    (flag) => {
      const message = (what: string) => ({ path: 'timestampProperty', message: `must not be ${what}` })
      expect(issuesOf({ [flag]: true, timestampProperty: 'title' })).toEqual([
        message('"title", an id property of mappedIndices'),
      ])
      expect(issuesOf({ [flag]: true, timestampProperty: 'grn', relationshipIdField: 'grn' })).toEqual([
        message('"grn", the relationshipIdField'),
      ])
    },
  )

  test('timestampProperty is unrestricted if unused', () => {
    expect(issuesOf({ timestampProperty: 'title', relationshipIdField: 'title' })).toEqual([])
  })

  test.each(['timestampRelationships', 'postbackTimestamp'])(
    'timestampProperty is required when %s is true',
    (flag) => {
      expect(issuesOf({ [flag]: true })).toEqual([
        { path: 'timestampProperty', message: `required when ${flag} is true` },
      ])
      expect(issuesOf({ [flag]: true, timestampProperty: 'publishedAt' })).toEqual([])
    },
  )

  test('timestampProperty is optional otherwise, and may be unused', () => {
    expect(issuesOf({ timestampRelationships: false, postbackTimestamp: null })).toEqual([])
    expect(issuesOf({ timestampProperty: 'publishedAt', protectedNodeProperties: ['publishedAt'] })).toEqual([])
  })
})

describe('deleteProperties', () => {
  test.each(['id', 'title'])('deleteProperties may not name %s, an id property', (key) => {
    expect(issuesOf({ deleteProperties: ['nick', key] })).toEqual([
      { path: 'deleteProperties', message: `must not name "${key}", an id property of mappedIndices` },
    ])
  })

  test('deleteProperties may name a label or DEFAULT_INDEX, which are not id properties', () => {
    expect(issuesOf({ deleteProperties: ['Person', 'Movie', 'DEFAULT_INDEX'] })).toEqual([])
  })

  test('deleteProperties may not name a protected property', () => {
    expect(issuesOf({ deleteProperties: ['nick', 'secret'], protectedNodeProperties: ['secret'] })).toEqual([
      { path: 'deleteProperties', message: 'must not name "secret", which protectedNodeProperties protects' },
    ])
  })

  test('deleteProperties reports a duplicate name once', () => {
    expect(issuesOf({ deleteProperties: ['id', 'id'] })).toEqual([
      { path: 'deleteProperties', message: 'must not name "id", an id property of mappedIndices' },
    ])
  })
})

describe('protected properties', () => {
  test.each(['id', 'title'])('protected properties of nodes must not be %s, an id property', (key) => {
    expect(issuesOf({ protectedNodeProperties: [key] })).toEqual([
      { path: 'protectedNodeProperties', message: `must not name "${key}", an id property of mappedIndices` },
    ])
  })

  test('protected properties of relationships may be named like an id property of nodes', () => {
    expect(issuesOf({ protectedRelationshipProperties: ['id', 'title'] })).toEqual([])
  })

  test.each(['timestampRelationships', 'postbackTimestamp'])(
    'protected properties must not be the timestampProperty if %s uses it',
    (flag) => {
      const changes = {
        [flag]: true,
        timestampProperty: 'at',
        protectedNodeProperties: ['at'],
        protectedRelationshipProperties: ['at'],
      }
      expect(issuesOf(changes)).toEqual([
        { path: 'protectedNodeProperties', message: 'must not name "at", the timestampProperty' },
        { path: 'protectedRelationshipProperties', message: 'must not name "at", the timestampProperty' },
      ])
    },
  )

  test('protected properties of relationships must not be the relationshipIdField', () => {
    expect(issuesOf({ relationshipIdField: 'grn', protectedRelationshipProperties: ['grn'] })).toEqual([
      { path: 'protectedRelationshipProperties', message: 'must not name "grn", the relationshipIdField' },
    ])
  })
})

describe('search options', () => {
  test('search options require searchIdField', () => {
    expect(issuesOf({ searchFilter: 'Person', preventSearch: ['Hidden'] })).toEqual([
      { path: 'searchFilter', message: 'needs searchIdField' },
      { path: 'preventSearch', message: 'needs searchIdField' },
    ])
  })

  test('search options are valid with searchIdField, and empty ones without it', () => {
    expect(issuesOf({ searchIdField: 'id', searchFilter: 'Person', preventSearch: ['Hidden'] })).toEqual([])
    expect(issuesOf({ searchFilter: null, preventSearch: [] })).toEqual([])
  })
})

describe('the destination of the packet', () => {
  test.each([undefined, null, false])('orgName and fileName are required when returnOnly is %s', (returnOnly) => {
    expect(issuesOf({ returnOnly, orgName: undefined, fileName: null })).toEqual([
      { path: 'orgName', message: 'required unless returnOnly is true' },
      { path: 'fileName', message: 'required unless returnOnly is true' },
    ])
  })

  test('orgName and fileName are not required with returnOnly', () => {
    expect(issuesOf({ returnOnly: true, orgName: undefined, fileName: undefined })).toEqual([])
  })

  test('orgName and fileName must each be a valid name', () => {
    expect(issuesOf({ orgName: 'acme/', fileName: '/people' })).toEqual([
      { path: 'orgName', message: 'must not start or end with a slash' },
      { path: 'fileName', message: 'must not start or end with a slash' },
    ])
  })

  test('orgName and fileName together have at most 900 bytes', () => {
    const fileName = ['é'.repeat(100), 'b'.repeat(200), 'c'.repeat(200), 'd'.repeat(200), 'e'.repeat(91)].join('/')
    expect(issuesOf({ fileName })).toEqual([])
    expect(issuesOf({ fileName: `${fileName}e` })).toEqual([
      { path: 'fileName', message: 'must be at most 900 bytes together with orgName' },
    ])
  })
})
