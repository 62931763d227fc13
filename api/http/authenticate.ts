import type { Request } from 'express'
import type { Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { ApiContext } from '../context.ts'

/** Authenticates a request by `Authorization: Bearer <token>` or the bare token. Seed, Authentication 1 and 2. */
export async function principalOf(
  { authenticate }: Pick<ApiContext, 'authenticate'>,
  request: Request,
): Promise<Principal> {
  const [, token] = /^(?:Bearer +)?([\w.~+/=-]{1,8192})$/i.exec(request.get('Authorization')?.trim() ?? '') ?? []
  const principal = token === undefined ? null : await authenticate(token)
  if (principal === null) throw errors.unauthenticated()
  return principal
}
