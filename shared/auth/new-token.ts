import { createHash, randomBytes } from 'node:crypto'
import type { Principal } from './principal.ts'

/** A new static token, and the entry of the tokens file that knows it. Contract 9: only the digest is configured. */
export function newToken(principal: Principal): { token: string; entry: Principal & { sha256: string } } {
  const token = randomBytes(32).toString('base64url')
  const { name, orgs, scopes } = principal
  return { token, entry: { name, sha256: createHash('sha256').update(token).digest('hex'), orgs, scopes } }
}
