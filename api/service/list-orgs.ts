import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { rootsOf } from '../../shared/auth/principal.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'

/** Contract 9, service: every file that the token may see is in the listing of exactly one of these orgs. */
export const listOrgs = defineEndpoint({
  method: 'get',
  path: '/1.0/orgs',
  summary: 'List the orgs that the token may see',
  scope: 'publish:read',
  access: noOrg,
  query: z.strictObject({ limit: wholeNumber(1, 1_000).optional(), after: orgName.optional() }),
  answer: z.object({ orgs: z.array(z.string()), next: z.string().nullable() }),
  async handle({ packets }, { principal, query: { limit = 100, after } }) {
    const found: string[] = []
    for await (const org of packets.orgs(rootsOf(principal), { most: limit + 1, after })) {
      if (found.length === limit) return { kind: 'json', value: { orgs: found, next: found.at(-1) ?? null } }
      found.push(org)
    }
    return { kind: 'json', value: { orgs: found, next: null } }
  },
})
