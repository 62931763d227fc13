import { errors as joseErrors, jwtVerify } from 'jose'
import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { scopes } from '../../wire/whoami.ts'
import * as errors from '../errors/catalogue.ts'
import type { Principal, Scope } from './principal.ts'
import { createSigningKeys, type KeySettings, type KeysGauge } from './signing-keys.ts'
import type { TokenLog } from './static-tokens.ts'

export interface JwtSettings extends KeySettings {
  issuer: string
  audience: string
}

/** Only asymmetric algorithms: a public key must never serve as the secret of an HMAC. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const org = z.literal('*').or(orgName)
const scopeList = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())])

/** The latest time that a `Date` can hold, epoch milliseconds. */
const latestTime = 8_640_000_000_000_000

/**
 * `orgs` is a claim of this service. Scopes are a space-separated string, as in RFC 9068, or a list. Some issuers name
 * the claim `scp`. Unknown scopes and invalid org names are ignored.
 */
const claims = z.object({
  sub: z.string().min(1),
  exp: z.number().transform((seconds) => new Date(Math.min(seconds * 1_000, latestTime)).toISOString()),
  orgs: z.array(z.unknown()).transform((given) => given.flatMap((one) => org.safeParse(one).data ?? [])),
  scope: scopeList.optional(),
  scp: scopeList.optional(),
})

/** Seconds that an issuer's clock may differ from ours. */
const clockTolerance = 5

const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)

/** Accepts RFC 9068's type, the generic type or none, but no other token of these keys, such as a logout token. */
const isAccessToken = (typ: string | undefined): boolean =>
  typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ)

/** Any JWT: three base64url segments. */
export const isJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/**
 * Verifies access tokens signed with a key of the JWKS. Contract 9: fixed asymmetric algorithms, issuer, audience,
 * expiry.
 * @returns null for an invalid token. @throws keysAway (503) while the keys are not known.
 */
export function createJwtTokens(
  settings: JwtSettings,
  log: TokenLog,
  keysFailing: KeysGauge,
): (token: string) => Promise<Principal | null> {
  const { issuer, audience } = settings
  const keys = createSigningKeys(settings, log, keysFailing)
  return async (token) => {
    const rules = { issuer, audience, algorithms, clockTolerance }
    const verified = await jwtVerify(token, keys, rules).catch((error) => {
      // Only JOSE errors are the fault of the token.
      if (error instanceof joseErrors.JOSEError) return null
      throw errors.keysAway(error)
    })
    if (!verified || !isAccessToken(verified.protectedHeader.typ)) return null
    const parsed = claims.safeParse(verified.payload)
    if (!parsed.success) return null
    const { sub, exp, orgs, scope = parsed.data.scp } = parsed.data
    if (scope === undefined) return null
    const identity = JSON.stringify(['jwt', issuer, sub])
    return { name: sub, identity, orgs, scopes: scope.filter(isScope), expiresAt: exp }
  }
}
