import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

/** Seed, Publish #2; contract 7.2. */
export const createOrganization = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName',
  summary: 'Create an organization, or a sub-directory of one',
  scope: 'publish:write',
  access: orgInPath,
  params: z.object({ orgName }),
  answer: 'publish',
  async handle({ packets }, { params: { orgName }, changed }) {
    await packets.createOrg(orgName)
    changed({ action: 'org.create', orgName })
    return { kind: 'publish', response: publishResponse({ fileNames: [] }) }
  },
})
