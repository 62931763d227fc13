import { readTokens } from '../shared/auth/static-tokens.ts'
import { type Check, codeOf, type Finding, fail, ok, warn } from './finding.ts'

/** Checks authentication: the tokens file is readable, and the keys of JSON web tokens can be fetched. */
export const checkAccess: Check = async function* ({ auth }) {
  if (auth.tokensFile === null && auth.jwt === null) {
    yield warn('access', 'neither AUTH_TOKENS nor AUTH_JWKS_URL is set: a worker can start, an API cannot')
  }
  if (auth.tokensFile !== null) yield tokens(auth.tokensFile)
  if (auth.jwt !== null) yield await keys(auth.jwt.jwksUrl)
}

function tokens(path: string): Finding {
  try {
    const { length } = readTokens(path)
    if (length > 0) return ok('access', `the file that AUTH_TOKENS names has ${length} token(s)`)
    return warn('access', 'the file that AUTH_TOKENS names is empty: make an entry with `npm run token`')
  } catch (error) {
    return fail('access', `${(error as Error).message}; no API can start`)
  }
}

async function keys(jwksUrl: string): Promise<Finding> {
  try {
    const response = await fetch(jwksUrl, { signal: AbortSignal.timeout(5_000) })
    const { keys } = (await response.json()) as { keys?: unknown }
    const count = Array.isArray(keys) ? keys.length : 0
    if (response.ok && count > 0) return ok('access', `AUTH_JWKS_URL has ${count} key(s)`)
    return fail('access', `AUTH_JWKS_URL answers ${response.status} with no keys: it must name a JSON web key set`)
  } catch (error) {
    return fail('access', `AUTH_JWKS_URL does not answer (${codeOf(error)}): JSON web tokens are refused until it does`)
  }
}
