import { createRemoteJWKSet, errors as joseErrors, jwtVerify } from 'jose'
import { z } from 'zod'
import * as errors from '../errors/catalogue.ts'
import { orgName } from '../storage/names.ts'
import { type Principal, type Scope, scopes } from './principal.ts'

export interface JwtSettings {
  jwksUrl: string
  issuer: string
  audience: string
}

/** Asymmetric ones only: a public key must never serve as the secret of an HMAC. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const org = z.literal('*').or(orgName)
const scopeList = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())])

/**
 * `orgs` is a claim of ours; scopes come as in RFC 9068, separated by spaces, or as a list, also under the name `scp`.
 * What is none of our scopes, or can be no org's name, is left out.
 */
const claims = z.object({
  sub: z.string().min(1),
  orgs: z.array(z.unknown()).transform((given) => given.flatMap((one) => org.safeParse(one).data ?? [])),
  scope: scopeList.optional(),
  scp: scopeList.optional(),
})

/** Clocks of issuers and ours differ a little. */
const clockTolerance = 5

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

/** RFC 9068's type, or the general one that most issuers use: not a logout token, say, which is signed by the same keys. */
const isAccessToken = (typ: string | undefined): boolean =>
  typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ)

/** Any JWT: three texts of base64url. */
export const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/**
 * Access tokens signed with a key of the JWKS. Contract 9: fixed asymmetric algorithms, issuer, audience, expiry. Keys are
 * cached, and asked for again at most every 30 seconds for one that is not known.
 * @returns null for a token that is not valid. @throws keysAway (503) when the keys cannot be had.
 */
export function createJwtTokens({
  jwksUrl,
  issuer,
  audience,
}: JwtSettings): (token: string) => Promise<Principal | null> {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: 30_000, timeoutDuration: 5_000 })
  return async (token) => {
    const rules = { issuer, audience, algorithms, requiredClaims: ['exp'], clockTolerance }
    const verified = await jwtVerify(token, keys, rules).catch((error) => {
      // A token is judged by errors of its own kind; whatever else went wrong did so on the way to the keys.
      if (isTokensFault(error)) return null
      throw errors.keysAway(error)
    })
    if (!verified || !isAccessToken(verified.protectedHeader.typ)) return null
    const parsed = claims.safeParse(verified.payload)
    if (!parsed.success) return null
    const { sub, orgs, scope = parsed.data.scp } = parsed.data
    if (scope === undefined) return null
    return { name: sub, identity: JSON.stringify(['jwt', issuer, sub]), orgs, scopes: scope.filter(isScope) }
  }
}

const isTokensFault = (error: unknown): boolean =>
  error instanceof joseErrors.JOSEError &&
  !(error instanceof joseErrors.JWKSTimeout) &&
  !(error instanceof joseErrors.JWKSInvalid) &&
  error.code !== 'ERR_JOSE_GENERIC'
