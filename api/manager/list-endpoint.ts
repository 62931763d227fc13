import { z } from 'zod'
import { type ModelPage, mostListed } from '../../shared/models/pages.ts'
import type { ModelRecord } from '../../shared/models/records.ts'
import type { Models } from '../../shared/models/repository.ts'
import type { Resource } from '../../shared/models/resources.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { listMemory } from '../http/list-memory.ts'
import { once, wholeNumber } from '../http/query.ts'
import { listText } from './list-texts.ts'
import { managerEndpoint, type Params, type Shape } from './manager-endpoint.ts'
import { listOf } from './record-schemas.ts'

interface List<Of extends Shape> {
  summary: string
  params: Of
  of: Resource
  records(models: Models, params: Params<Of>, page: ModelPage): Promise<ModelRecord[]>
}

const paging = z.strictObject({
  limit: wholeNumber(1, mostListed)
    .optional()
    .describe(`most entries of the answer; required if the list is too long for one answer`),
  after: once.optional().describe('`next` of the previous answer'),
})

/**
 * A list: with `limit` one page, with `next` if more follow; without it the whole list, refused if too long. Its text
 * counts against the memory that a token's lists may take until they are sent.
 */
export const listEndpoint = <Of extends Shape>(path: string, { summary, params, of, records }: List<Of>) =>
  managerEndpoint('get', path, {
    summary,
    params,
    query: paging,
    gives: listOf(of),
    async answer(models, input, context) {
      const read = (page: ModelPage) => records(models, input.params, page)
      return ReadableStream.from(await listText({ read, of, reserve: listMemory(context, input) }, input.query))
    },
  }) satisfies Endpoint
