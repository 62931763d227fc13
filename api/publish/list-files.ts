import { z } from 'zod'
import { namePiece, orgName } from '../../packet/names.ts'
import { fileListBody } from '../../wire/publish-response.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { answerPage, paging } from '../http/page.ts'
import { repeated } from '../http/query.ts'

/** Seed, Publish #7; contract 7.7. */
export const listFiles = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName',
  summary: 'List the files of an org that match any of the filters',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName }),
  query: z.strictObject({ filter: repeated(namePiece).optional(), ...paging }),
  answer: fileListBody,
  handle({ packets }, { params, query: { filter = [], ...page } }) {
    return answerPage(packets, { orgName: params.orgName, prefixes: [''], holding: filter }, page)
  },
})
