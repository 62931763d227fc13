import { expect, test } from 'vitest'
import { least, problemsOf } from '../least-environment.ts'

test('JSON Web Tokens require an issuer, an audience and a JWKS URL over https', () => {
  const { AUTH_TOKENS: _, ...none } = least
  expect(problemsOf({ ...none, AUTH_JWKS_URL: 'http://id.example/keys' })).toEqual([
    'AUTH_JWKS_URL: must be https unless it is on this machine',
    'AUTH_ISSUER: required with AUTH_JWKS_URL',
    'AUTH_AUDIENCE: required with AUTH_JWKS_URL',
  ])
  const local = { ...none, AUTH_JWKS_URL: 'http://127.0.0.1:9/keys', AUTH_ISSUER: 'me', AUTH_AUDIENCE: 'packets' }
  expect(problemsOf(local)).toEqual([])
  for (const [name, value] of Object.entries({
    AUTH_ISSUER: 'me',
    AUTH_AUDIENCE: 'us',
  }))
    expect(problemsOf({ ...least, [name]: value })).toEqual([`${name}: only with AUTH_JWKS_URL`])
})

test.each(['nowhere:kill', 'partStored', 'partStored:burn', 'partStored:kill:0'])(
  'the failpoint %s is rejected',
  (failpoint) => {
    expect(problemsOf({ ...least, TEST_OVERRIDES: JSON.stringify({ failpoint }) })[0]).toMatch(
      /^TEST_OVERRIDES: failpoint: must be <step>:<kill, stop or block>/,
    )
  },
)

test.each([
  ['{"janitorSecond":1}', 'Unrecognized key: "janitorSecond"'],
  ['{"janitorSeconds":"1"}', 'janitorSeconds: '],
  ['{"janitorSeconds":0}', 'janitorSeconds: '],
  ['{"eventStreams":1.5}', 'eventStreams: '],
  ['[]', 'Invalid input: expected object'],
  ['janitorSeconds=1', 'Unexpected token'],
])('the overrides %s are rejected', (text, problem) => {
  expect(problemsOf({ ...least, TEST_OVERRIDES: text })).toEqual([
    expect.stringContaining(`TEST_OVERRIDES: ${problem}`),
  ])
})

test('overrides are rejected in production, as the image runs', () => {
  const given = { ...least, TEST_OVERRIDES: '{"janitorSeconds":1}' }
  expect(problemsOf({ ...given, NODE_ENV: 'production' })).toEqual([
    'TEST_OVERRIDES: refused if NODE_ENV is production',
  ])
  expect(problemsOf({ ...given, NODE_ENV: 'test' })).toEqual([])
})
