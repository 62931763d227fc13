import { describe, expect, test } from 'vitest'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { issuesOf, request, validRequest } from '../valid-request.ts'

const defaults = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
const badName = 'must be non-empty, without backslashes, control characters or lone surrogates'

test('a valid request has no issues and is parsed unchanged', () => {
  expect(parsePublishRequest(request())).toEqual({ request: validRequest, issues: [] })
})

describe('the database', () => {
  test('dbUrl, credentials and mappedIndices are required', () => {
    expect(issuesOf({ dbUrl: undefined, credentials: undefined, mappedIndices: undefined })).toEqual([
      { path: 'dbUrl', message: 'required' },
      { path: 'credentials', message: 'required' },
      { path: 'mappedIndices', message: 'required unless model or select is given' },
    ])
  })

  test.each([
    'bolt://db.example',
    'bolt://db.example:7687',
    'bolt+s://db.example:1',
    'neo4j://db.example',
    'neo4j+s://db.example:7687',
    'bolt://192.0.2.7:65535',
    'bolt://[2001:db8::7]:7687',
  ])('dbUrl may be %s', (dbUrl) => {
    expect(issuesOf({ dbUrl })).toEqual([])
  })

  test.each([
    '',
    'db.example:7687',
    'http://db.example',
    'bolt+ssc://db.example',
    'neo4j+ssc://db.example',
    'NEO4J+SSC://db.example',
    'bolt://',
    'bolt://reader:pass@db.example',
    'bolt://db.example/neo4j',
    'bolt://db.example?policy=eu',
    'bolt://db.example:7687#a',
    ' bolt://db.example',
    'bolt://db.example\n',
  ])('dbUrl has only a scheme, a host and a port: not %j', (dbUrl) => {
    expect(issuesOf({ dbUrl })).toEqual([
      { path: 'dbUrl', message: 'must be bolt://host[:port] or neo4j://host[:port], also with +s, and nothing else' },
    ])
  })

  test('credentials are split at the first colon: a password may contain colons, or be empty', () => {
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
    expect(issuesOf({ credentials: basic('reader:a:b') })).toEqual([])
    expect(issuesOf({ credentials: basic('reader:') })).toEqual([])
  })

  test.each([
    ['another scheme', 'Bearer cmVhZGVyOnBhc3M='],
    ['no scheme', 'cmVhZGVyOnBhc3M='],
    ['nothing after the scheme', 'Basic '],
    ['what is not base64', 'Basic reader:pass'],
    ['base64 without a colon inside', 'Basic cmVhZGVy'],
    ['something behind the base64', 'Basic cmVhZGVyOnBhc3M=\n'],
  ])('credentials must not be %s', (_what, credentials) => {
    expect(issuesOf({ credentials })).toEqual([
      { path: 'credentials', message: 'must be "Basic " followed by the base64 of username:password' },
    ])
  })
})

describe('database', () => {
  test.each(['neo4j', 'a-1', 'Movies.2026', 'a'.repeat(255), 'g1', 'my_graph', '1abc', 'mövies', 'a b', '`a`'])(
    'the field database may be %s',
    (database) => {
      expect(issuesOf({ database })).toEqual([])
    },
  )

  test.each(['', ' ', ' a', 'a ', 'movies\n', 'a\u0000b', 'a\u2028b', '\ud800', 'a'.repeat(256)])(
    'the field database must not be %j',
    (database) => {
      const message = 'must be 1 to 255 characters, without control characters, or spaces at an end'
      expect(issuesOf({ database })).toEqual([{ path: 'database', message }])
    },
  )

  test.each(['system', 'SYSTEM'])('the field database must not be %s, which has no graph', (database) => {
    expect(issuesOf({ database })).toEqual([{ path: 'database', message: 'must not be "system", which has no graph' }])
  })

  test('the field database must be a string', () => {
    expect(issuesOf({ database: ['neo4j'] })).toEqual([{ path: 'database', message: 'must be a string' }])
  })
})

describe('bookmarks', () => {
  test('bookmarks may be empty, or a list of visible ASCII texts', () => {
    expect(issuesOf({ bookmarks: [] })).toEqual([])
    const bookmarks = ['FB:kcwQ/wTfJ8rS1WY+GiIKXsCXgA==', 'neo4j:bookmark:v1:tx5', 'b'.repeat(1_000)]
    expect(issuesOf({ bookmarks })).toEqual([])
  })

  test('bookmarks are at most 100', () => {
    const bookmarks = Array.from({ length: 101 }, (_, index) => `FB:${index}`)
    expect(issuesOf({ bookmarks })).toEqual([{ path: 'bookmarks', message: 'must have at most 100 elements' }])
  })

  test.each(['', ' ', 'FB:\n', 'FB:é', 'b'.repeat(1_001)])(
    'bookmarks are 1 to 1000 visible ASCII characters each: not %j',
    (text) => {
      const message = 'must be 1 to 1000 visible ASCII characters'
      expect(issuesOf({ bookmarks: ['FB:a', text] })).toEqual([{ path: 'bookmarks[1]', message }])
    },
  )

  test('bookmarks are a list of strings', () => {
    expect(issuesOf({ bookmarks: 'FB:a' })).toEqual([{ path: 'bookmarks', message: 'must be an array' }])
    expect(issuesOf({ bookmarks: [7] })).toEqual([{ path: 'bookmarks[0]', message: 'must be a string' }])
  })
})

describe('mappedIndices', () => {
  test('mappedIndices requires both defaults', () => {
    expect(issuesOf({ mappedIndices: { Movie: 'title' } })).toEqual([
      { path: 'mappedIndices.DEFAULT_INDEX', message: 'required, the label of originIds' },
      { path: 'mappedIndices.DEFAULT_ID_FIELD', message: 'required, the property that identifies its nodes' },
    ])
  })

  test('mappedIndices may have an entry for the default label that agrees with the default id property', () => {
    expect(issuesOf({ mappedIndices: { ...defaults, Person: 'id' } })).toEqual([])
  })

  test('mappedIndices may not give the default label another id property', () => {
    expect(issuesOf({ mappedIndices: { ...defaults, Person: 'name' } })).toEqual([
      {
        path: 'mappedIndices.Person',
        message: 'must agree with DEFAULT_ID_FIELD, as DEFAULT_INDEX names this label',
      },
    ])
  })

  test.each([
    ['an empty value', { ...defaults, Movie: '' }, 'Movie'],
    ['an empty default', { ...defaults, DEFAULT_INDEX: '' }, 'DEFAULT_INDEX'],
    ['a backslash in an id property', { ...defaults, Movie: 'ti\\u0060tle' }, 'Movie'],
    ['a backslash in a label', { ...defaults, 'Mo\\vie': 'title' }, 'Mo\\vie'],
    ['a control character in a label', { ...defaults, 'Mo\u0007vie': 'title' }, 'Mo\u0007vie'],
    ['a lone surrogate in an id property', { ...defaults, Movie: '\ud800' }, 'Movie'],
  ])('mappedIndices may not have %s', (_what, mappedIndices, key) => {
    expect(issuesOf({ mappedIndices })).toEqual([{ path: `mappedIndices.${key}`, message: badName }])
  })

  test('mappedIndices maps to strings only', () => {
    expect(issuesOf({ mappedIndices: { ...defaults, Movie: 7 } })).toEqual([
      { path: 'mappedIndices.Movie', message: 'must be a string' },
    ])
  })
})

describe('index', () => {
  test.each([undefined, null, 'Person', 'Movie'])('the field index may be %s', (index) => {
    expect(issuesOf({ index })).toEqual([])
  })

  test.each(['Actor', 'person', 'DEFAULT_INDEX', 'DEFAULT_ID_FIELD', 'toString', 'constructor', '__proto__'])(
    'the field index may not be %s, which mappedIndices does not name',
    (index) => {
      expect(issuesOf({ index })).toEqual([
        { path: 'index', message: 'must be a label in mappedIndices or the value of DEFAULT_INDEX' },
      ])
    },
  )

  test('a default label may be named like an inherited property', () => {
    expect(issuesOf({ index: 'toString', mappedIndices: { ...defaults, DEFAULT_INDEX: 'toString' } })).toEqual([])
  })

  test('the field index may not contain a backslash', () => {
    expect(issuesOf({ index: 'Per\\son' })).toEqual([{ path: 'index', message: badName }])
  })
})
