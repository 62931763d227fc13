import type { z } from 'zod'
import type { Principal, Scope } from '../../shared/auth/principal.ts'
import type { Issue } from '../../shared/errors/app-error.ts'
import type { PublishResponse } from '../../shared/publish/response.ts'
import type { ApiContext } from '../context.ts'
import type { Access } from './access.ts'
import type { RequestHeader } from './openapi-schemas.ts'

/** What a handler answers: 200 unless it says otherwise. */
export type Answer = { status?: number; headers?: Record<string, string> } & (
  | { kind: 'publish'; response: PublishResponse }
  | { kind: 'json'; value: object }
  /** JSON text, as it is made. */
  | { kind: 'chunks'; chunks: AsyncIterable<string> }
  | { kind: 'empty' }
)

/** How a body becomes a value, with every broken rule. */
export interface BodyReader<Body> {
  limitBytes: number
  /** A request may come without one: `read` then gets undefined. */
  isOptional?: true
  /** As documented; `read` says more. */
  schema: z.ZodType
  /** A body that works as it stands, once its address and names are those of something that exists. */
  example: object
  /** `params` are the path's, as they came: what a body must be may depend on what it is sent to. */
  read(body: unknown, params: Readonly<Record<string, unknown>>): { value: Body; issues: readonly Issue[] }
}

/** What `Prefer` asked for. */
export interface Preferences {
  waitSeconds: number | null
  respondAsync: boolean
  returnMinimal: boolean
}

export interface Input<Params, Query, Body> {
  /** Aborts when the client has its answer, or has gone without it. */
  signal: AbortSignal
  principal: Principal
  params: Params
  query: Query
  body: Body
  prefer: Preferences
  /** The header as it came; only stored publishes look at it. */
  idempotencyKey: string | undefined
  /** The envers that `If-Match` allows; null: any. */
  ifMatch: readonly number[] | null
}

export interface Endpoint<Params = unknown, Query = unknown, Body = unknown> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** Express' syntax: `:orgName` is one segment, percent-encoded. */
  path: string
  summary: string
  /** null: open, without a token. */
  scope: Scope | null
  access: Access<Params, Body>
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: BodyReader<Body>
  /** Headers it looks at. */
  takes?: readonly RequestHeader[]
  /** What a success carries. */
  answer: 'publish' | 'empty' | z.ZodType
  /** A success has the record's enver as its `ETag`. */
  hasETag?: boolean
  /** Statuses beside those that follow from the rest, and what they mean here. */
  answers?: Readonly<Record<number, string>>
  handle(context: ApiContext, input: Input<Params, Query, Body>): Promise<Answer>
}

/** An endpoint is data and a handler; its types follow from its schemas. */
export const defineEndpoint = <Params, Query, Body>(endpoint: Endpoint<Params, Query, Body>): Endpoint =>
  endpoint as Endpoint
