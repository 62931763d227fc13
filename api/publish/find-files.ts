import { z } from 'zod'
import { longestKeyBytes, namePiece, orgName } from '../../packet/names.ts'
import { listOf } from '../../shared/validation/bounded.ts'
import { fileListBody } from '../../wire/publish-response.ts'
import { orgInPath } from '../http/access.ts'
import { zodBody } from '../http/body/zod-body.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { answerPage, paging } from '../http/page.ts'

/**
 * File names of one search. Beyond this limit the answer is `400 invalidRequest`: each prefix is a separate lookup in
 * the store.
 */
const maxNames = 10_000
/** Bytes of the body of a search for files. Beyond this limit the answer is `413 bodyTooLarge`. */
const limitBytes = 1024 * 1024
const isPiece = (value: unknown) => typeof value === 'string' && value.length <= longestKeyBytes
const names = listOf(namePiece, { type: 'string', maxLength: longestKeyBytes }, isPiece, maxNames)
const search = z.strictObject({ fileNames: names.nullish(), usePrefixes: z.boolean().nullish() })

/** Seed, Publish #8; contract 7.8. Prefixes are looked up in the store; substrings need a listing of the whole org. */
export const findFiles = defineEndpoint({
  method: 'post',
  path: '/1.0/publish/:orgName/files',
  summary: 'Find the files of an org by prefix or substring',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName }),
  query: z.strictObject(paging),
  body: zodBody(search, limitBytes, { fileNames: ['two-'], usePrefixes: true }),
  answer: fileListBody,
  handle({ packets }, { params, query, body }) {
    const texts = body.fileNames ?? []
    const prefixes = body.usePrefixes && texts.length > 0 ? texts : ['']
    const holding = body.usePrefixes ? [] : texts
    return answerPage(packets, { orgName: params.orgName, prefixes, holding }, query)
  },
})
