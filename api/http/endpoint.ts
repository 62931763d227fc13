import type { z } from 'zod'
import type { Principal, Scope } from '../../shared/auth/principal.ts'
import type { Issue } from '../../shared/errors/app-error.ts'
import type { Steps } from '../../shared/lifecycle/turns.ts'
import type { Change, Outcome, Sender } from '../../shared/observability/audit.ts'
import type { PublishResponse } from '../../shared/publish/response.ts'
import type { ApiContext } from '../context.ts'
import type { Access } from './access.ts'
import type { EventStream } from './event-stream.ts'
import type { RequestHeader } from './pages/openapi-schemas.ts'

/** A handler's response; the status defaults to 200. */
export type Answer = { status?: number; headers?: Record<string, string> } & (
  | { kind: 'publish'; response: PublishResponse }
  | { kind: 'json'; value: object }
  /** JSON text, streamed. */
  | { kind: 'chunks'; chunks: AsyncIterable<string> }
  | { kind: 'empty' }
  /** The answer comes later. The body of the request is no longer in use. */
  | { kind: 'later'; answer: () => Promise<Answer> }
  /** A stream of events. `open` returns the function to call when the connection closes. */
  | { kind: 'events'; open: (stream: EventStream) => () => void }
)

/** Parses and validates a request body. */
export interface BodyReader<Body> {
  limitBytes: number
  /** The body may be absent: `read` then gets undefined. */
  isOptional?: true
  /** For the OpenAPI document; `read` may check more. */
  schema: z.ZodType
  /** A complete, valid body; only its address and names are fictitious. */
  example: object
  /**
   * Reports every violated rule. The rules may depend on `params`, the raw path parameters, and on `query`, which is
   * undefined if it is not valid.
   */
  read(body: unknown, params: Readonly<Record<string, unknown>>, query?: unknown): ReadBody<Body>
  /** Does the same in steps, for a body whose checks may take long. */
  readInSteps?(body: unknown, params: Readonly<Record<string, unknown>>, query?: unknown): Steps<ReadBody<Body>>
}

interface ReadBody<Body> {
  value: Body
  issues: readonly Issue[]
}

/** The parsed `Prefer` header. */
export interface Preferences {
  waitSeconds: number | null
  respondAsync: boolean
  returnMinimal: boolean
}

export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  /** Aborts when the response is complete or the client disconnects. */
  signal: AbortSignal
  principal: Principal
  sender: Sender
  /** Writes the audit line of a change, once it is certain. Every endpoint that changes something calls it. */
  changed: (change: Change, outcome?: Outcome) => void
  params: Params
  query: Query
  body: Body
  prefer: Preferences
  /** The raw header; only stored publishes use it. */
  idempotencyKey: string | undefined
  /** The envers that `If-Match` allows; null: any. */
  ifMatch: readonly number[] | null
}

export interface Endpoint<Params = unknown, Query = unknown, Body = unknown> {
  method: 'get' | 'post' | 'put' | 'delete'
  /** Express' syntax: `:orgName` is one segment, percent-encoded. */
  path: string
  summary: string
  /** any: every token is let in. null: no token required. */
  scope: Scope | 'any' | null
  access: Access<Params, Body>
  params?: z.ZodType<Params>
  query?: z.ZodType<Query>
  body?: BodyReader<Body>
  /** Request headers that the endpoint uses. */
  takes?: readonly RequestHeader[]
  /** The body of a success; `events`: an example of an event stream. */
  answer: 'publish' | 'empty' | z.ZodType | { events: string }
  /** A success carries the record's enver as `ETag`. */
  hasETag?: boolean
  /** Descriptions of statuses; they add to or replace those derived from the other fields. */
  answers?: Readonly<Record<number, string>>
  handle(context: ApiContext, input: Input<Params, Query, Body>): Promise<Answer>
}

/** Defines an endpoint; the handler's types are inferred from the schemas. */
export const defineEndpoint = <Params, Query, Body>(endpoint: Endpoint<Params, Query, Body>): Endpoint =>
  endpoint as Endpoint
