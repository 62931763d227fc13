import { createJwtTokens, isJwt, type JwtSettings } from './jwt.ts'
import type { Principal } from './principal.ts'
import type { KeysGauge } from './signing-keys.ts'
import { createStaticTokens, type TokenLog } from './static-tokens.ts'

/** Accepted tokens: static tokens, JSON Web Tokens, or both. Contract 9. */
export interface TokenSettings {
  tokensFile: string | null
  jwt: JwtSettings | null
}

/** @returns null for an unknown token. @throws keysAway (503), and an Error at start for an invalid tokens file. */
export type Authenticate = (token: string) => Promise<Principal | null>

export function createTokens({ tokensFile, jwt }: TokenSettings, log: TokenLog, keysFailing: KeysGauge): Authenticate {
  const known = tokensFile === null ? () => null : createStaticTokens(tokensFile, log)
  const signed = jwt && createJwtTokens(jwt, log, keysFailing)
  return async (token) => known(token) ?? (signed && isJwt(token) ? signed(token) : null)
}
