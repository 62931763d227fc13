import { createHash, randomBytes } from 'node:crypto'
import type { Grant } from './principal.ts'

/** Creates a static token and its entry for the tokens file. Contract 9: only the digest is configured. */
export function newToken(grant: Grant): { token: string; entry: Grant & { sha256: string } } {
  const token = randomBytes(32).toString('base64url')
  const { name, orgs, scopes } = grant
  return { token, entry: { name, sha256: createHash('sha256').update(token).digest('hex'), orgs, scopes } }
}
