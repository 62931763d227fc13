import { describe, expect, test } from 'vitest'
import { parsePublishRequest } from '../../../shared/publish/request/rules.ts'
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
      { path: 'mappedIndices', message: 'required' },
    ])
  })

  test.each([
    'bolt://db.example',
    'bolt://db.example:7687',
    'bolt+s://db.example:1',
    'bolt://192.0.2.7:65535',
    'bolt://[2001:db8::7]:7687',
  ])('dbUrl may be %s', (dbUrl) => {
    expect(issuesOf({ dbUrl })).toEqual([])
  })

  test.each(['neo4j://db.example:7687', 'neo4j+s://db.example', 'NEO4J+SSC://db.example'])(
    'the routing scheme of %s is rejected, with the schemes to use instead',
    (dbUrl) => {
      expect(issuesOf({ dbUrl })).toEqual([
        { path: 'dbUrl', message: 'must not use routing; use bolt:// or bolt+s://' },
      ])
    },
  )

  test.each([
    '',
    'db.example:7687',
    'http://db.example',
    'bolt+ssc://db.example',
    'bolt://',
    'bolt://reader:pass@db.example',
    'bolt://db.example/neo4j',
    'bolt://db.example?policy=eu',
    'bolt://db.example:7687#a',
    ' bolt://db.example',
    'bolt://db.example\n',
  ])('dbUrl has only a scheme, a host and a port: not %j', (dbUrl) => {
    expect(issuesOf({ dbUrl })).toEqual([
      { path: 'dbUrl', message: 'must be bolt://host[:port] or bolt+s://host[:port], and nothing else' },
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

describe('mappedIndices', () => {
  test('requires both defaults', () => {
    expect(issuesOf({ mappedIndices: { Movie: 'title' } })).toEqual([
      { path: 'mappedIndices.DEFAULT_INDEX', message: 'required, the label of originIds' },
      { path: 'mappedIndices.DEFAULT_ID_FIELD', message: 'required, the property that identifies its nodes' },
    ])
  })

  test('may have an entry for the default label that agrees with the default id property', () => {
    expect(issuesOf({ mappedIndices: { ...defaults, Person: 'id' } })).toEqual([])
  })

  test('may not give the default label another id property', () => {
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
  ])('may not have %s', (_what, mappedIndices, key) => {
    expect(issuesOf({ mappedIndices })).toEqual([{ path: `mappedIndices.${key}`, message: badName }])
  })

  test('maps to strings only', () => {
    expect(issuesOf({ mappedIndices: { ...defaults, Movie: 7 } })).toEqual([
      { path: 'mappedIndices.Movie', message: 'must be a string' },
    ])
  })
})

describe('index', () => {
  test.each([undefined, null, 'Person', 'Movie'])('may be %s', (index) => {
    expect(issuesOf({ index })).toEqual([])
  })

  test.each(['Actor', 'person', 'DEFAULT_INDEX', 'DEFAULT_ID_FIELD', 'toString', 'constructor', '__proto__'])(
    'may not be %s, which mappedIndices does not name',
    (index) => {
      expect(issuesOf({ index })).toEqual([
        { path: 'index', message: 'must be a label in mappedIndices or the value of DEFAULT_INDEX' },
      ])
    },
  )

  test('a default label may be named like an inherited property', () => {
    expect(issuesOf({ index: 'toString', mappedIndices: { ...defaults, DEFAULT_INDEX: 'toString' } })).toEqual([])
  })

  test('may not contain a backslash', () => {
    expect(issuesOf({ index: 'Per\\son' })).toEqual([{ path: 'index', message: badName }])
  })
})
