import { describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { managerClient, newModel, someOrg } from '../support/models/models.ts'

const { apiUrl, tokens } = inject('service')
const of = (token: string | null) => managerClient(createClient(apiUrl, token))
const client = of(tokens.all as string)
const { version } = await newModel(client)
const v = version.grn
const unknown = (type: string) => `grn:gg:${type}:${'0'.repeat(44)}`

test.each([
  ['GET', unknown('manager'), undefined],
  ['GET', 'name/nobody', undefined],
  ['GET', 'nobody', undefined],
  ['DELETE', unknown('manager'), undefined],
  ['DELETE', unknown('property'), undefined],
  ['DELETE', unknown('nodetype'), undefined],
  ['DELETE', unknown('propertyimpl'), undefined],
  ['GET', `versions/${unknown('manager')}`, undefined],
  ['POST', `version/${unknown('manager')}`, {}],
  ['GET', `version/${unknown('managerversion')}`, undefined],
  ['GET', 'version/name/nobody', undefined],
  ['DELETE', `version/${unknown('managerversion')}`, undefined],
  ['POST', `property/${unknown('managerversion')}`, { key: 'a' }],
  ['PUT', `property/${unknown('property')}`, { key: 'a' }],
  ['PUT', `property/${unknown('propertyimpl')}`, { unique: true }],
  ['PUT', `property/name/${v}/nothing`, { key: 'a' }],
  ['GET', `properties/${unknown('managerversion')}`, undefined],
  ['GET', `properties/${unknown('nodetype')}`, undefined],
  ['GET', 'properties/name/nobody', undefined],
  ['GET', `property/${unknown('property')}`, undefined],
  ['GET', `property/name/${v}/nothing`, undefined],
  ['DELETE', `property/${v}/${unknown('property')}`, undefined],
  ['DELETE', `property/${v}/nothing`, undefined],
  ['DELETE', `property/${unknown('nodetype')}/${unknown('property')}`, undefined],
  ['POST', `nodeType/${unknown('managerversion')}`, { key: 'a' }],
  ['GET', `nodeTypes/${unknown('managerversion')}`, undefined],
  ['GET', 'nodeTypes/name/nobody', undefined],
  ['DELETE', `nodeType/${v}/nothing`, undefined],
  ['GET', `constraints/${unknown('managerversion')}`, undefined],
  ['GET', 'constraints/name/nobody', undefined],
])('an unknown record is 404, named in a problem: %s %s', async (method, path, body) => {
  const answer = await client.send(method, path, body)
  expect([answer.headers.get('Content-Type'), answer.body]).toEqual([
    'application/problem+json; charset=utf-8',
    {
      type: 'urn:problem:noSuchRecord',
      title: 'Not Found',
      status: 404,
      detail: expect.stringMatching(/^there is no .*(0000|nobody|nothing)/),
    },
  ])
})

const leastOne = 'the body must have at least one of'
const access = 'isEditable, isDeletable, editable, deletable'
const form = 'of the form grn:<ns>:<type>:<id>'
test.each([
  ['GET', v, undefined, 'manager: must be a grn of type manager, not managerversion'],
  ['GET', 'grn:gg:manager', undefined, `manager: must be a grn of type manager, ${form}`],
  ['POST', unknown('manager'), { name: 'a' }, 'orgGrn: must be a grn of type org, not manager'],
  ['POST', 'acme', { name: 'a' }, `orgGrn: must be a grn of type org, ${form}`],
  [
    'DELETE',
    v,
    undefined,
    'grn: must be a grn of type manager or property or nodetype or propertyimpl, not managerversion',
  ],
  [
    'GET',
    `properties/${unknown('manager')}`,
    undefined,
    'grn: must be a grn of type managerversion or nodetype, not manager',
  ],
  ['PUT', `property/${v}`, { key: 'a' }, 'grn: must be a grn of type property or propertyimpl, not managerversion'],
  ['PUT', 'property/grn:x', { key: 'a' }, `grn: must be a grn of type property or propertyimpl, ${form}`],
  ['DELETE', `property/${v}/${v}`, undefined, 'property: must be a grn of type property, not managerversion'],
  ['DELETE', `property/${unknown('nodetype')}/name`, undefined, 'property: must be a grn of type property'],
  [
    'POST',
    `property/${v}/${v}`,
    {},
    'nodeTypeGrn: must be a grn of type nodetype, not managerversion; propertyGrn: must be a grn of type property, not managerversion',
  ],
  ['POST', someOrg, {}, 'name: required'],
  ['POST', someOrg, { name: ' ' }, 'name: must not be blank'],
  ['POST', someOrg, { name: 'grn:gg:manager:x' }, 'name: must not start with "grn:"'],
  ['POST', someOrg, [], 'the body must be an object'],
  ['POST', `property/${v}`, { key: null }, 'key: required'],
  ['POST', `property/${v}`, { key: '' }, 'key: must not be blank'],
  ['POST', `property/${v}`, { key: 'a\nb' }, 'key: must not contain control characters'],
  ['POST', `property/${v}`, { key: 'e\u0301' }, 'key: must be in Unicode normalization form C'],
  ['POST', someOrg, { name: 'e\u0301' }, 'name: must be in Unicode normalization form C'],
  ['POST', `nodeType/${v}`, { key: 'a\\b' }, 'key: must not contain a backslash'],
  ['PUT', `nodeType/${unknown('nodetype')}`, { key: 'a\\b' }, 'key: must not contain a backslash'],
  ['POST', `property/${v}`, { key: 'x'.repeat(256) }, 'key: must be at most 255 characters'],
  ['POST', `property/${v}`, '{"key": "\\ud800"}', 'key: must be valid Unicode'],
  [
    'POST',
    `property/${v}`,
    { dataTyp: 'x', isEditable: 1 },
    'key: required; isEditable: must be a boolean; dataTyp: unknown field, did you mean `dataType`?',
  ],
  [
    'POST',
    `property/${v}`,
    { key: 'a', isEditable: true, editable: false },
    'isEditable: must not be given together with editable',
  ],
  [
    'PUT',
    `property/${unknown('property')}`,
    { unique: true },
    `unique: unknown field; ${leastOne} key, dataType, definition, displayValue, ${access}`,
  ],
  [
    'PUT',
    `property/${unknown('propertyimpl')}`,
    { key: 'a' },
    `key: unknown field; ${leastOne} displayValue, unique, indexed, required, sensitive, ${access}`,
  ],
  [
    'PUT',
    `property/${unknown('propertyimpl')}`,
    {},
    `${leastOne} displayValue, unique, indexed, required, sensitive, ${access}`,
  ],
  [
    'PUT',
    `nodeType/${unknown('nodetype')}`,
    { key: null },
    'the body must have at least one of key, namespace, definition, displayValue',
  ],
  ['GET', `nodeTypes/${v}?limits=1`, undefined, 'limits: unknown field, did you mean `limit`?'],
  ['GET', `nodeTypes/${v}?limit=0`, undefined, 'limit: must be a whole number from 1 to 10000'],
  ['GET', `nodeTypes/${v}?after=Person`, undefined, 'after: must be the `next` of another answer of this list'],
])('an invalid request is 400, and names the field: %s %s %j', async (method, path, body, detail) => {
  const answer = await client.send(method, path, body)
  expect([answer.status, answer.body.detail]).toEqual([400, detail])
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json; charset=utf-8')
})

describe('access', () => {
  test.each([
    ['nobody', null, 401, 401],
    ['a token without scopes of the area', tokens.reader as string, 403, 403],
    ['a token that may read', tokens['model-reader'] as string, 200, 403],
    ['a token that may do everything', tokens.all as string, 200, 200],
  ])('access to models follows from the token: %s', async (_who, token, read, write) => {
    const { status } = await of(token).get(`version/${v}`)
    const made = await of(token).post(`version/${version.manager}`)
    expect([status, made.status]).toEqual([read, write])
  })

  test('a wrong method is 405 and lists the allowed methods', async () => {
    const refused = [
      await client.send('PUT', v),
      await client.send('POST', 'status', {}),
      await client.send('PATCH', `property/${v}`),
    ]
    expect(refused.map(({ status, headers }) => [status, headers.get('Allow')])).toEqual([
      [405, 'POST, GET, HEAD, DELETE, OPTIONS'],
      [405, 'GET, HEAD, OPTIONS'],
      [405, 'POST, GET, HEAD, PUT, OPTIONS'],
    ])
  })
})
