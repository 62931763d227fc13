import { whoamiBody } from '../../wire/whoami.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

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
