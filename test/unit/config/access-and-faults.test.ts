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
    AUTH_JWKS_COOLDOWN_SECONDS: '5',
    AUTH_JWKS_STALE_SECONDS: '5',
  }))
    expect(problemsOf({ ...least, [name]: value })).toEqual([`${name}: only with AUTH_JWKS_URL`])
})

test.each(['nowhere:kill', 'partStored', 'partStored:burn', 'partStored:kill:0'])('rejects failpoint %s', (text) => {
  expect(problemsOf({ ...least, FAILPOINT: text })[0]).toMatch(/^FAILPOINT: must be <step>:<kill, stop or block>/)
})
