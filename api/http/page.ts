import { bytesText } from '../../packet/bytes-text.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import type { Packets } from '../../shared/storage/packets.ts'
import { mostNameBytes } from './body/reading.ts'
import type { Answer } from './endpoint.ts'
import { once, wholeNumber } from './query.ts'

/** File names of one page: the largest `limit`. Beyond this limit the answer is `400 invalidRequest`. */
const maxNames = 100_000
/** File names of a list without `limit`. Beyond this limit the answer is `400 invalidRequest`. */
const maxWithoutLimit = 10_000

/** At most `limit` names after `after`. Contract 7.8. */
export const paging = { limit: wholeNumber(1, maxNames).optional(), after: once.optional() }

interface Selection {
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
export async function answerPage(packets: Packets, selection: Selection, { limit, after }: Page): Promise<Answer> {
  const { orgName, prefixes, holding } = selection
  await packets.requireOrg(orgName)
  const asked = { limit: limit ?? maxWithoutLimit, after, holding, mayEndEarly: limit !== undefined }
  const { names, expiresAt, next } = await packets.page(orgName, prefixes, asked)
  if (limit === undefined && next !== null) {
    const rule =
      names.length === maxWithoutLimit
        ? `more than ${maxWithoutLimit} files match: that many are listed without it, up to ${maxNames} with it`
        : `the names that match take more than ${bytesText(mostNameBytes)}`
    const message = `required where ${rule}; next in the answer is the after of the next page`
    throw errors.invalidRequest([{ path: 'limit', message }])
  }
  return { kind: 'publish', response: { ...publishResponse({ fileNames: names }), expiresAt, next } }
}
