import { z } from 'zod'
import { scopes } from '../../shared/auth/principal.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

export const whoamiBody = z.object({
  name: z.string(),
  orgs: z.array(z.string()),
  scopes: z.array(z.enum(scopes)),
  expiresAt: z.iso.datetime().nullable().meta({ description: 'Null for a static token' }),
})

/** Contract 9, service: what a token allows. Clients check a token with it. */
export const whoami = defineEndpoint({
  method: 'get',
  path: '/1.0/whoami',
  summary: 'What the token allows',
  scope: 'any',
  access: noOrg,
  answer: whoamiBody,
  async handle(_context, { principal: { name, orgs, scopes, expiresAt } }) {
    return { kind: 'json', value: { name, orgs, scopes, expiresAt } }
  },
})
