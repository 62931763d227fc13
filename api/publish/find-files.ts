import { z } from 'zod'
import { listOf } from '../../shared/errors/bounded.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import { orgName } from '../../shared/storage/names.ts'
import { orgInPath } from '../access.ts'
import { defineEndpoint } from '../endpoint.ts'
import { zodBody } from '../zod-body.ts'
import { holdingAny, pageOf, paging } from './page.ts'

// Each prefix is looked up in the store.
const mostNames = 10_000
const isText = (value: unknown) => typeof value === 'string'
const names = listOf(z.string(), { type: 'string' }, isText, mostNames)
const search = z.strictObject({ fileNames: names.nullish(), usePrefixes: z.boolean().nullish() })

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
    const matching = body.usePrefixes ? names : await holdingAny(names, wanted)
    return { kind: 'publish', response: publishResponse({ fileNames: pageOf(matching, query) }) }
  },
})
