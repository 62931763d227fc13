import { z } from 'zod'
import type { Models } from '../../shared/models/repository.ts'
import type { ApiContext } from '../context.ts'
import { noOrg } from '../http/access.ts'
import { chunkedText } from '../http/chunked-text.ts'
import { type BodyReader, defineEndpoint, type Endpoint, type Input } from '../http/endpoint.ts'
import { etagOf, isOneRecord } from './etag.ts'
import { noteChange } from './note-change.ts'
import { requireModels } from './require-models.ts'

interface Operation<Shape extends z.ZodRawShape, Query, Body> {
  summary: string
  params: Shape
  /** The action in the audit line; by default the method decides. */
  action?: 'import' | 'copy'
  query?: z.ZodType<Query>
  body?: BodyReader<Body>
  /** Schema of what `answer` returns: a value, or its JSON text as an async iterable. */
  gives: z.ZodType
  answer(models: Models, input: Input<z.output<z.ZodObject<Shape>>, Query, Body>, context: ApiContext): Promise<object>
}

/**
 * An endpoint of the manager area, on a path below `/1.0/manager/`. It answers JSON. It needs the scope `manager:read`
 * for GET, and `manager:write` for other methods. `answer` sees only the models of the token's orgs.
 */
export const managerEndpoint = <Shape extends z.ZodRawShape, Query, Body>(
  method: Endpoint['method'],
  path: string,
  { summary, params, action, query, body, gives, answer }: Operation<Shape, Query, Body>,
): Endpoint =>
  defineEndpoint({
    method,
    path: `/1.0/manager/${path}`,
    summary,
    scope: method === 'get' ? 'manager:read' : 'manager:write',
    access: noOrg,
    params: z.object(params),
    query: query ?? (z.strictObject({}) as unknown as z.ZodType<Query>),
    ...(body === undefined ? {} : { body }),
    takes: method === 'put' || method === 'delete' ? ['If-Match'] : [],
    answer: gives,
    hasETag: isOneRecord(gives),
    answers: answersTo[method],
    async handle(context, input) {
      const value = await answer(requireModels(context.models).visibleTo(input.principal), input, context)
      noteChange(input, action ?? method, value)
      if (isText(value)) return { kind: 'chunks', chunks: chunkedText(value) }
      return { kind: 'json', value, headers: isOneRecord(gives) ? etagOf(value) : {} }
    },
  })

const isText = (value: object): value is AsyncIterable<string> => Symbol.asyncIterator in value

const answersTo = {
  get: {},
  post: { 403: 'The token lacks the scope, or the name is reserved', 409: 'The name or key is taken' },
  put: { 409: 'The key is taken', 412: 'The record has another enver' },
  delete: { 412: 'The record has another enver' },
}
