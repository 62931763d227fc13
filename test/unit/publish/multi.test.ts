import { describe, expect, test } from 'vitest'
import { parseMulti } from '../../../shared/request/multi.ts'
import { request, validRequest } from '../valid-request.ts'

const nameless = { orgName: undefined, fileName: undefined }
const multi = (...changes: Record<string, unknown>[]) => parseMulti(changes.map(request))
const issues = (...changes: Record<string, unknown>[]) => multi(...changes).issues

test('sub-requests become one packet, named by any of them', () => {
  const { orgName, fileName, ...unnamed } = validRequest
  expect(multi(nameless, {}, nameless)).toEqual({
    multi: { requests: [unnamed, validRequest, unnamed], orgName: 'acme', fileName: 'people', returnOnly: false },
    issues: [],
  })
})

test('no names are required with returnOnly', () => {
  const { multi: read, issues } = multi({ ...nameless, returnOnly: true }, { ...nameless, returnOnly: true })
  expect(issues).toEqual([])
  expect(read).toMatchObject({ orgName: '', fileName: '', returnOnly: true })
})

describe('the number of sub-requests', () => {
  const bounds = [{ path: '', message: 'the body must be an array of 1 to 10000 publish requests' }]

  test.each([[[]], [{}], [null], ['text'], [validRequest]])(
    'the number of sub-requests is at least one, in an array: not %j',
    (body) => {
      expect(parseMulti(body).issues).toEqual(bounds)
    },
  )

  test('the number of sub-requests is at most 10,000', () => {
    const many = Array.from({ length: 10_000 }, () => request())
    expect(parseMulti(many).issues).toEqual([])
    expect(parseMulti([...many, request()]).issues).toEqual(bounds)
  })
})

test('a multi has at most 100 different credentials; the first excess one is reported', () => {
  const credentials = (index: number) => `Basic ${btoa(`user${index}:password`)}`
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ credentials: credentials(index) }))
  expect(issues(...many(100), ...many(100))).toEqual([])
  expect(issues(...many(100), {}, ...many(103))).toEqual([
    { path: '[100].credentials', message: 'at most 100 different ones in one multi; split it' },
  ])
})

describe('errors name the sub-request by its index', () => {
  test('errors name the sub-request by its index for fields, unknown fields and rules between fields', () => {
    const third = { fileName: '/people', originIds: [7], preventCleanUp: true, searchFilter: 'Person' }
    expect(issues({}, {}, {}, third)).toEqual([
      { path: '[3].originIds[0]', message: 'must be a string' },
      { path: '[3].fileName', message: 'must not start or end with a slash' },
      { path: '[3].preventCleanUp', message: 'unknown field, did you mean `preventCleanup`?' },
      { path: '[3].searchFilter', message: 'needs searchIdField' },
    ])
  })

  test('errors name the sub-request by its index for one that is not an object at all', () => {
    expect(parseMulti([request(), 'text']).issues).toEqual([
      { path: '[1]', message: 'must be a JSON object, a publish request' },
    ])
  })

  test('errors name the sub-request by its index for more than 500 ids, the limit of each sub-request', () => {
    const ids = Array.from({ length: 501 }, (_, index) => String(index))
    expect(issues({ originIds: ids.slice(1) }, { originIds: ids.slice(0, 500) })).toEqual([])
    expect(issues({}, { originIds: ids })).toEqual([
      {
        path: '[1].originIds',
        message: 'at most 500 ids, originIds and relationshipIds together; there are 501, use POST /1.0/publish/multi',
      },
    ])
  })
})

describe('names', () => {
  test('the names of a multi are required in one sub-request, each reported once', () => {
    expect(issues(nameless, nameless)).toEqual([
      { path: 'orgName', message: 'required in at least one sub-request unless returnOnly is true' },
      { path: 'fileName', message: 'required in at least one sub-request unless returnOnly is true' },
    ])
  })

  test('the names of a multi may come from different sub-requests', () => {
    expect(issues({ fileName: undefined }, { orgName: undefined })).toEqual([])
  })

  test('the names of a multi must be the same in all sub-requests that have them', () => {
    expect(issues(nameless, {}, { orgName: 'other', fileName: 'others' })).toEqual([
      { path: '[2].orgName', message: 'must be the same as in [1]' },
      { path: '[2].fileName', message: 'must be the same as in [1]' },
    ])
  })

  test('the names of a multi have at most 900 bytes together, even from different sub-requests', () => {
    const fileName = Array.from({ length: 5 }, () => 'f'.repeat(179)).join('/')
    expect(issues({ fileName: undefined }, { orgName: undefined, fileName })).toEqual([
      { path: 'fileName', message: 'must be at most 900 bytes together with orgName' },
    ])
  })
})

describe('sub-requests agree', () => {
  test('sub-requests must agree on returnOnly, where absent means false', () => {
    expect(issues({}, { returnOnly: false }, { returnOnly: null })).toEqual([])
    expect(issues({}, {}, { returnOnly: true })).toEqual([
      { path: '[2].returnOnly', message: 'must be the same as in [0]' },
    ])
  })

  test('sub-requests must agree on parameterSyntax', () => {
    expect(issues({ parameterSyntax: 'dollar' }, { parameterSyntax: 'braces' })).toEqual([
      { path: '[1].parameterSyntax', message: 'must be the same as in [0]' },
    ])
  })

  const defaults = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }

  test('sub-requests must agree on the entries of mappedIndices that they share', () => {
    const changes = [
      { mappedIndices: defaults },
      { mappedIndices: { ...defaults, Movie: 'title', City: 'name' } },
      { mappedIndices: { ...defaults, Movie: 'name', City: 'name' } },
    ]
    expect(issues(...changes)).toEqual([{ path: '[2].mappedIndices.Movie', message: 'must be the same as in [1]' }])
  })

  test('sub-requests need not agree on the defaults, which are not labels', () => {
    const other = { DEFAULT_INDEX: 'Movie', DEFAULT_ID_FIELD: 'title' }
    expect(issues({ mappedIndices: defaults }, { mappedIndices: other })).toEqual([])
  })
})
