import { z } from 'zod'
import { publishResponse } from '../../shared/publish/response.ts'
import { orgName } from '../../shared/storage/names.ts'
import { orgInPath } from '../access.ts'
import { defineEndpoint } from '../endpoint.ts'
import { repeated } from '../query.ts'
import { holdingAny, pageOf, paging } from './page.ts'

/** Seed, Publish #7; contract 7.7. */
export const listFiles = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName',
  summary: 'List the files of an org that match any of the filters',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName }),
  query: z.strictObject({ filter: repeated.optional(), ...paging }),
  answer: 'publish',
  async handle({ packets }, { params, query: { filter = [], ...page } }) {
    await packets.requireOrg(params.orgName)
    const names = await packets.list(params.orgName, [''])
    const matching = filter.length === 0 ? names : await holdingAny(names, filter)
    return { kind: 'publish', response: publishResponse({ fileNames: pageOf(matching, page) }) }
  },
})
