import { z } from 'zod'
import { publishResponse } from '../../shared/publish/response.ts'
import { orgName } from '../../shared/storage/names.ts'
import { orgInPath } from '../access.ts'
import { defineEndpoint } from '../endpoint.ts'
import { zodBody } from '../zod-body.ts'
import { pageOf, paging } from './page.ts'

const search = z.strictObject({ fileNames: z.array(z.string()).nullish(), usePrefixes: z.boolean().nullish() })

/** Seed, Publish #8; contract 7.8. Prefixes are looked up in the store; substrings need the whole directory. */
export const findFiles = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName/files',
  summary: 'Find the files of an org by prefix or substring',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName }),
  query: z.strictObject(paging),
  body: zodBody(search, 1024 * 1024, { fileNames: ['two-'], usePrefixes: true }),
  answer: 'publish',
  async handle({ packets }, { params, query, body }) {
    await packets.requireOrg(params.orgName)
    const wanted = body.fileNames?.length ? body.fileNames : ['']
    const names = await packets.list(params.orgName, body.usePrefixes ? wanted : [''])
    const matching = body.usePrefixes ? names : names.filter((name) => wanted.some((text) => name.includes(text)))
    return { kind: 'publish', response: publishResponse({ fileNames: pageOf(matching, query) }) }
  },
})
