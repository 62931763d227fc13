import type { JwtSettings } from '../shared/auth/jwt.ts'
import { readTokens } from '../shared/auth/static-tokens.ts'
import { type Check, codeOf, fail, ok, type Report, warn } from './finding.ts'

/** Checks authentication: the tokens file is readable, and the keys of JSON web tokens can be fetched. */
export const checkAccess: Check = async ({ auth }, report) => {
  if (auth.tokensFile === null && auth.jwt === null) {
    report(warn('access', 'neither AUTH_TOKENS nor AUTH_JWKS_URL is set: a worker can start, an API cannot'))
  }
  if (auth.tokensFile !== null) tokens(auth.tokensFile, report)
  if (auth.jwt !== null) await keys(auth.jwt, report)
}

function tokens(path: string, report: Report): void {
  try {
    const { length } = readTokens(path)
    if (length > 0) report(ok('access', `the file that AUTH_TOKENS names has ${length} token(s)`))
    else report(warn('access', 'the file that AUTH_TOKENS names is empty: make an entry with `npm run token`'))
  } catch (error) {
    // Violations of the file's rules have no code, and their messages name only the rule.
    const code = codeOf(error)
    const why = code === 'Error' ? (error as Error).message : `AUTH_TOKENS: the file cannot be read (${code})`
    report(fail('access', `${oneLine(why)}; no API can start`))
  }
}

const oneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')

async function keys({ jwksUrl }: JwtSettings, report: Report): Promise<void> {
  try {
    const response = await fetch(jwksUrl, { signal: AbortSignal.timeout(5_000) })
    const { keys } = (await response.json()) as { keys?: unknown }
    const count = Array.isArray(keys) ? keys.length : 0
    if (response.ok && count > 0) report(ok('access', `AUTH_JWKS_URL has ${count} key(s)`))
    else
      report(fail('access', `AUTH_JWKS_URL answers ${response.status} with no keys: it must name a JSON web key set`))
  } catch (error) {
    report(
      fail('access', `AUTH_JWKS_URL does not answer (${codeOf(error)}): JSON web tokens are refused until it does`),
    )
  }
}
