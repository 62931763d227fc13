import { z } from 'zod'
import type { ModelRecord } from '../../shared/models/records.ts'
import type { Models } from '../../shared/models/repository.ts'
import type { ApiContext } from '../context.ts'
import { noOrg } from '../http/access.ts'
import { chunkedText } from '../http/body/chunked-text.ts'
import { type BodyReader, defineEndpoint, type Endpoint, type Input } from '../http/endpoint.ts'
import { noteChange } from './note-change.ts'
import { requireModels } from './require-models.ts'

/** Schemas of the parameters of a path. */
export type Shape = Record<string, z.ZodType<string>>
export type Params<Of extends Shape> = z.output<z.ZodObject<Of>>

interface Operation<Of extends Shape, Query, Body> {
  summary: string
  params: Of
  /** The action in the audit line; by default the method decides. */
  action?: 'import' | 'copy' | undefined
  query?: z.ZodType<Query>
  body?: BodyReader<Body> | undefined
  /** Schema of what `answer` returns: a value, or its JSON text as an async iterable. */
  gives: z.ZodType
  /** The answer is a single record, whose enver is its `ETag`, for `If-Match`. */
  hasETag?: boolean
  answer(models: Models, input: Input<Params<Of>, Query, Body>, context: ApiContext): Promise<object>
}

/**
 * An endpoint of the manager area, on a path below `/1.0/manager/`. It answers JSON. It needs the scope `manager:read`
 * for GET, and `manager:write` for other methods. `answer` sees only the models of the token's orgs.
 */
export const managerEndpoint = <Of extends Shape, Query, Body>(
  method: Endpoint['method'],
  path: string,
  { summary, params, action, query, body, gives, hasETag = false, answer }: Operation<Of, Query, Body>,
): Endpoint =>
  defineEndpoint({
    method,
    path: `/1.0/manager/${path}`,
    summary,
    access: noOrg,
    params: z.object(params),
    hasETag,
    scope: method === 'get' ? 'manager:read' : 'manager:write',
    query: query ?? (z.strictObject({}) as unknown as z.ZodType<Query>),
    ...(body === undefined ? {} : { body }),
    takes: method === 'put' || method === 'delete' ? ['If-Match'] : [],
    answer: gives,
    answers: answersTo[method],
    async handle(context, input) {
      const value = await answer(requireModels(context.models).visibleTo(input.principal), input, context)
      noteChange(input, action ?? method, value)
      if (Symbol.asyncIterator in value) return { kind: 'chunks', chunks: chunkedText(value as AsyncIterable<string>) }
      const [record] = Object.values(value) as ModelRecord[]
      return { kind: 'json', value, ...(hasETag ? { headers: { ETag: `"${record?.enver}"` } } : {}) }
    },
  })

const answersTo = {
  get: {},
  post: { 403: 'The token lacks the scope, or the name is reserved', 409: 'The name or key is taken' },
  put: { 409: 'The key is taken', 412: 'The record has another enver' },
  delete: { 412: 'The record has another enver' },
}
