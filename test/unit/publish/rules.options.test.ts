import { describe, expect, test } from 'vitest'
import { issuesOf } from '../valid-request.ts'

describe('relationshipIdField', () => {
  test('is required with relationshipIds', () => {
    expect(issuesOf({ relationshipIds: ['r1'], preventCleanup: true })).toEqual([
      { path: 'relationshipIdField', message: 'required when relationshipIds are given' },
    ])
  })

  test('is required when deleteRelationshipById is true', () => {
    expect(issuesOf({ deleteRelationshipById: true })).toEqual([
      { path: 'relationshipIdField', message: 'required when deleteRelationshipById is true' },
    ])
    expect(issuesOf({ deleteRelationshipById: true, relationshipIdField: 'grn' })).toEqual([])
    expect(issuesOf({ deleteRelationshipById: false })).toEqual([])
  })
})

describe('timestampProperty', () => {
  test.each(['timestampRelationships', 'postbackTimestamp'])('must not be an id property if %s uses it', (flag) => {
    const message = (what: string) => ({ path: 'timestampProperty', message: `must not be ${what}` })
    expect(issuesOf({ [flag]: true, timestampProperty: 'title' })).toEqual([
      message('"title", an id property of mappedIndices'),
    ])
    expect(issuesOf({ [flag]: true, timestampProperty: 'grn', relationshipIdField: 'grn' })).toEqual([
      message('"grn", the relationshipIdField'),
    ])
  })

  test('is unrestricted if unused', () => {
    expect(issuesOf({ timestampProperty: 'title', relationshipIdField: 'title' })).toEqual([])
  })

  test.each(['timestampRelationships', 'postbackTimestamp'])('is required when %s is true', (flag) => {
    expect(issuesOf({ [flag]: true })).toEqual([
      { path: 'timestampProperty', message: `required when ${flag} is true` },
    ])
    expect(issuesOf({ [flag]: true, timestampProperty: 'publishedAt' })).toEqual([])
  })

  test('is optional otherwise, and may be unused', () => {
    expect(issuesOf({ timestampRelationships: false, postbackTimestamp: null })).toEqual([])
    expect(issuesOf({ timestampProperty: 'publishedAt', protectedNodeProperties: ['publishedAt'] })).toEqual([])
  })
})

describe('deleteProperties', () => {
  test.each(['id', 'title'])('may not name %s, an id property', (key) => {
    expect(issuesOf({ deleteProperties: ['nick', key] })).toEqual([
      { path: 'deleteProperties', message: `must not name "${key}", an id property of mappedIndices` },
    ])
  })

  test('may name a label or DEFAULT_INDEX, which are not id properties', () => {
    expect(issuesOf({ deleteProperties: ['Person', 'Movie', 'DEFAULT_INDEX'] })).toEqual([])
  })

  test('may not name a protected property', () => {
    expect(issuesOf({ deleteProperties: ['nick', 'secret'], protectedNodeProperties: ['secret'] })).toEqual([
      { path: 'deleteProperties', message: 'must not name "secret", which protectedNodeProperties protects' },
    ])
  })

  test('reports a duplicate name once', () => {
    expect(issuesOf({ deleteProperties: ['id', 'id'] })).toEqual([
      { path: 'deleteProperties', message: 'must not name "id", an id property of mappedIndices' },
    ])
  })
})

describe('protected properties', () => {
  test.each(['id', 'title'])('of nodes must not be %s, an id property', (key) => {
    expect(issuesOf({ protectedNodeProperties: [key] })).toEqual([
      { path: 'protectedNodeProperties', message: `must not name "${key}", an id property of mappedIndices` },
    ])
  })

  test('of relationships may be named like an id property of nodes', () => {
    expect(issuesOf({ protectedRelationshipProperties: ['id', 'title'] })).toEqual([])
  })

  test.each(['timestampRelationships', 'postbackTimestamp'])(
    'must not be the timestampProperty if %s uses it',
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

  test('of relationships must not be the relationshipIdField', () => {
    expect(issuesOf({ relationshipIdField: 'grn', protectedRelationshipProperties: ['grn'] })).toEqual([
      { path: 'protectedRelationshipProperties', message: 'must not name "grn", the relationshipIdField' },
    ])
  })
})

describe('search options', () => {
  test('require searchIdField', () => {
    expect(issuesOf({ searchFilter: 'Person', preventSearch: ['Hidden'] })).toEqual([
      { path: 'searchFilter', message: 'needs searchIdField' },
      { path: 'preventSearch', message: 'needs searchIdField' },
    ])
  })

  test('are valid with searchIdField, and empty ones without it', () => {
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

  test('neither name is required with returnOnly', () => {
    expect(issuesOf({ returnOnly: true, orgName: undefined, fileName: undefined })).toEqual([])
  })

  test('each must be a valid name', () => {
    expect(issuesOf({ orgName: 'acme/', fileName: '/people' })).toEqual([
      { path: 'orgName', message: 'must not start or end with a slash' },
      { path: 'fileName', message: 'must not start or end with a slash' },
    ])
  })

  test('together they have at most 900 bytes', () => {
    const fileName = ['é'.repeat(100), 'b'.repeat(200), 'c'.repeat(200), 'd'.repeat(200), 'e'.repeat(91)].join('/')
    expect(issuesOf({ fileName })).toEqual([])
    expect(issuesOf({ fileName: `${fileName}e` })).toEqual([
      { path: 'fileName', message: 'must be at most 900 bytes together with orgName' },
    ])
  })
})
