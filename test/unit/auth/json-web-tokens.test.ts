import type { JWTPayload } from 'jose'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createJwtTokens } from '../../../shared/auth/jwt.ts'
import { audience, inSeconds, issuer, startIdentityProvider } from '../../support/servers/identity-provider.ts'

const identity = await startIdentityProvider()
afterAll(identity.stop)
const settings = { jwksUrl: identity.jwksUrl, issuer, audience, cooldownSeconds: 30, staleSeconds: 60 }
const silently = { info: () => {}, error: () => {}, set: () => {} }
const principalOf = createJwtTokens(settings, silently, silently)
const withClaims = async (claims: JWTPayload) => principalOf(await identity.sign(claims))

describe('clock skew of five seconds is tolerated', () => {
  // The clock stands still between the signature and its verification.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test.each([
    ['a token that ended just now', () => ({ exp: inSeconds(-3) }), true],
    ['a token that ended before', () => ({ exp: inSeconds(-8) }), false],
    ['a token that begins at once', () => ({ nbf: inSeconds(3) }), true],
    ['a token that begins later', () => ({ nbf: inSeconds(12) }), false],
  ])('a token is judged with a clock skew of five seconds: %s', async (_what, claims, isValid) => {
    expect((await withClaims(claims())) !== null).toBe(isValid)
  })
})

describe('a token is invalid', () => {
  test.each([
    ['made for another audience', { aud: 'another-service' }],
    ['of another issuer', { iss: 'https://other.example.org/' }],
    ['without an expiry', { exp: undefined }],
  ])('a token %s is invalid', async (_what, claims) => {
    expect(await withClaims(claims)).toBeNull()
  })

  test('a token of a type other than access tokens is invalid', async () => {
    expect(await principalOf(await identity.sign({}, { typ: 'logout+jwt' }))).toBeNull()
    expect(await principalOf(await identity.sign({}, { typ: 'at+jwt' }))).not.toBeNull()
  })
})

test('a client is another than the static token that has its name, and than the same subject of another issuer', async () => {
  const principal = await withClaims({ sub: 'ci' })
  expect(principal?.name).toBe('ci')
  expect(principal?.identity).not.toBe('ci')
  expect(principal?.identity).toContain(issuer)
})

describe('scopes', () => {
  test.each([
    [{ scope: 'publish:read publish:write' }, ['publish:read', 'publish:write']],
    [{ scope: ['publish:read', 'email'] }, ['publish:read']],
    [{ scope: undefined, scp: 'publish:read openid' }, ['publish:read']],
    [{ scope: undefined, scp: ['manager:read', 'search:read'] }, ['manager:read', 'search:read']],
    [{ scope: 'publish:read', scp: 'manager:write' }, ['publish:read']],
    [{ scope: '', scp: 'manager:write' }, []],
  ])('the claims %j grant the scopes %j', async (claims, scopes) => {
    expect((await withClaims(claims))?.scopes).toEqual(scopes)
  })

  test.each([{ scope: undefined }, { scope: undefined, scp: 7 }, { scope: { 'publish:read': true } }])(
    'a token without scopes is invalid: %j',
    async (claims) => {
      expect(await withClaims(claims)).toBeNull()
    },
  )
})

describe('orgs', () => {
  test.each([
    [
      ['acme', 'acme/eu'],
      ['acme', 'acme/eu'],
    ],
    [
      ['acme', '../other', 'a//b', '', 7, null, ['x'], 'Ren\u0065\u0301', 'eu'],
      ['acme', 'eu'],
    ],
    [['**', '* '], []],
    [['*'], ['*']],
  ])('an invalid org name is ignored, and grants nothing: %j', async (given, orgs) => {
    expect((await withClaims({ orgs: given }))?.orgs).toEqual(orgs)
  })

  test.each([undefined, 'acme', { acme: true }])('a token without a list of orgs is invalid: %j', async (orgs) => {
    expect(await withClaims({ orgs })).toBeNull()
  })
})
