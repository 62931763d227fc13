import { z } from 'zod'
import { orgName, storedName } from '../../packet/names.ts'
import { locationFields, publishResponse } from '../../shared/publish/response.ts'
import { longestLinkSeconds } from '../../shared/storage/links.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'
import { defaultLifetimeSeconds } from '../submission/job-answer.ts'

/** Seed, Publish #6; contract 7.6. */
export const fileUrl = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName/:fileName/url',
  summary: 'Mint time-limited download URIs for a stored packet',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName, fileName: storedName }),
  query: z.strictObject({ lifetime: wholeNumber(1, longestLinkSeconds).optional() }),
  answer: 'publish',
  async handle({ packets }, { params, query }) {
    const files = await packets.require(params.orgName, params.fileName)
    const urls = await packets.sign(files, query.lifetime ?? defaultLifetimeSeconds)
    return { kind: 'publish', response: publishResponse(locationFields(urls)) }
  },
})
