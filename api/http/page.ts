import * as errors from '../../shared/errors/catalogue.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import type { Packets } from '../../shared/storage/packets.ts'
import type { Answer } from './endpoint.ts'
import { once, wholeNumber } from './query.ts'

const mostNames = 100_000
const mostUnlimited = 10_000

/** At most `limit` names after `after`. Contract 7.8. */
export const paging = { limit: wholeNumber(1, mostNames).optional(), after: once.optional() }

interface Wanted {
  orgName: string
  prefixes: readonly string[]
  holding: readonly string[]
}

interface Page {
  limit?: number | undefined
  after?: string | undefined
}

/**
 * Answers one page, with `next` as the start of the following one. Without `limit` the list is complete or refused,
 * never truncated. @throws noSuchOrg (404), invalidRequest
 */
export async function answerPage(packets: Packets, wanted: Wanted, { limit, after }: Page): Promise<Answer> {
  const { orgName, prefixes, holding } = wanted
  await packets.requireOrg(orgName)
  const { names, next } = await packets.page(orgName, prefixes, { limit: limit ?? mostUnlimited, after, holding })
  if (limit === undefined && next !== null) {
    const message = `required where more than ${mostUnlimited} files match: that many are listed without it, up to ${mostNames} with it; next in the answer is the after of the next page`
    throw errors.invalidRequest([{ path: 'limit', message }])
  }
  return { kind: 'publish', response: { ...publishResponse({ fileNames: names }), next } }
}
