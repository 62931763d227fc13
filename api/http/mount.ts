import { pipeline } from 'node:stream/promises'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { z } from 'zod'
import type { Principal } from '../../shared/auth/principal.ts'
import type { Issue } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { asTenant } from '../../shared/lifecycle/current-tenant.ts'
import { inTurns } from '../../shared/lifecycle/turns.ts'
import { audit } from '../../shared/observability/audit.ts'
import { withTrace } from '../../shared/observability/trace.ts'
import { serializeResponse } from '../../shared/publish/response.ts'
import { issuesOf } from '../../shared/validation/issues.ts'
import type { ApiContext } from '../context.ts'
import { auditRefusals } from './audit-refusals.ts'
import { principalOf } from './authenticate.ts'
import { jsonBody, releaseBody } from './body/json-body.ts'
import { readingFor } from './body/reading.ts'
import type { Answer, Endpoint, Input } from './endpoint.ts'
import { sendEvents } from './event-stream.ts'
import { parseIfMatch } from './if-match.ts'
import { isNamed } from './if-none-match.ts'
import { parsePrefer } from './prefer.ts'

/**
 * Mounts every endpoint. A path answers a method that it does not take with 405 and lists the allowed ones. Fixed paths
 * do so at once, paths with parameters after all others, because several may match (`/:orgName/files` and
 * `/:orgName/:fileName`).
 */
export function mountEndpoints(context: ApiContext, endpoints: readonly Endpoint[]): Router {
  const router = Router({ caseSensitive: true })
  const byPath = [...Map.groupBy(endpoints, ({ path }) => path)]
  const fixed = byPath.filter(([path]) => !path.includes(':'))
  const open = byPath.filter(([path]) => path.includes(':'))
  const mount = ([path, sharing]: [string, Endpoint[]]) => {
    for (const endpoint of sharing) router[endpoint.method](path, ...handlersOf(context, endpoint))
  }
  const registerMethods = ([path, sharing]: [string, Endpoint[]]) => router.all(path, noteMethods(sharing))
  for (const group of fixed) {
    mount(group)
    registerMethods(group)
    router.all(group[0], answerOtherMethod)
  }
  open.forEach(mount)
  open.forEach(registerMethods)
  router.use(answerOtherMethod)
  return router
}

const noteMethods =
  (sharing: readonly Endpoint[]): RequestHandler =>
  (_request, response, next) => {
    const methods = sharing.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    response.locals.methods = [...(response.locals.methods ?? []), ...methods]
    next()
  }

const answerOtherMethod: RequestHandler = (request, response, next) => {
  if (response.locals.methods === undefined) return next()
  const allow = [...new Set([...response.locals.methods, 'OPTIONS'])].join(', ')
  if (request.method !== 'OPTIONS') throw errors.methodNotAllowed(allow)
  response.status(204).set('Allow', allow).end()
}

// All requests share one error: every answer ends with a close, and a new error with a stack costs more than the
// routing.
const clientGone = errors.clientGone()

const anonymous: Principal = { name: 'anonymous', identity: 'anonymous', orgs: [], scopes: [], expiresAt: null }

function handlersOf(context: ApiContext, endpoint: Endpoint): (RequestHandler | ErrorRequestHandler)[] {
  const { scope } = endpoint
  const authorize: RequestHandler = async (request, response, next) => {
    const principal = scope === null ? anonymous : await principalOf(context, request)
    response.locals.principal = principal
    if (scope === null) return next()
    await context.limitRequests(principal.identity)
    if (scope !== 'any' && !principal.scopes.includes(scope)) throw errors.scopeMissing(scope)
    next()
  }
  /** A separate function, because its variables would keep the body in memory until the answer. */
  async function begin(request: Request, response: Response): Promise<Answer> {
    const principal = response.locals.principal as Principal
    const { requestId, traceparent = null } = response.locals
    const issues: Issue[] = []
    const params = validated(endpoint.params, request.params, issues)
    const query = validated(endpoint.query, queryOf(request.query, issues), issues)
    const body = await readBody(endpoint, request, query)
    request.body = undefined
    for (const issue of body?.issues ?? []) issues.push(issue) // not push(...): too many arguments overflow the stack
    const prefer = parsePrefer(request.get('Prefer'), issues)
    if (issues.length > 0) throw errors.invalidRequest(issues)
    const idempotencyKey = request.get('Idempotency-Key')
    const ifMatch = parseIfMatch(request.get('If-Match'))
    const closed = new AbortController()
    const close = () => closed.abort(clientGone)
    if (response.closed) close()
    response.once('close', close)
    const { signal } = closed
    const traced = withTrace(context, traceparent)
    const sender = { by: principal.identity, requestId, traceparent }
    const changed: Input['changed'] = (change, outcome) => audit(traced.log, sender, change, outcome)
    const sent = { params, query, body: body?.value, prefer, idempotencyKey, ifMatch }
    const input = { signal, principal, sender, changed, ...sent }
    // A change that has begun is completed, whether or not its client still waits.
    const own = scope?.endsWith(':write') ? traced : readingFor(traced, input)
    await endpoint.access(own, input)
    return asTenant(principal.identity, () => endpoint.handle(own, input))
  }
  const handle: RequestHandler = async (request, response) => {
    const answer = await begin(request, response)
    if (!endpoint.takes?.includes('If-None-Match')) return send(response, answer)
    const { headers } = answer
    const isKnown = isNamed(headers?.ETag, request.get('If-None-Match'))
    // Express would answer 304 to `*` even without an ETag, and never to a client that also sends `no-cache`, as fetch
    // does.
    delete request.headers['if-none-match']
    await send(response, isKnown && headers ? { kind: 'empty', status: 304, headers } : answer)
  }
  return [
    authorize,
    ...(endpoint.body ? jsonBody(endpoint.body.limitBytes, endpoint.body.isOptional, context.bodyBudget) : []),
    handle,
    ...(scope?.endsWith(':write') ? [auditRefusals(context, endpoint)] : []),
  ]
}

async function readBody({ body }: Endpoint, { body: sent, params }: Request, query: unknown) {
  const steps = body?.readInSteps?.(sent, params, query)
  return steps ? inTurns(steps) : body?.read(sent, params, query)
}

/** Query values as strings or lists; an empty value is an issue (contract 3). */
function queryOf(query: object, issues: Issue[]): Record<string, unknown> {
  for (const [path, value] of Object.entries(query)) {
    if ([value].flat().includes('')) issues.push({ path, message: 'must not be empty' })
  }
  return { ...query }
}

function validated(schema: z.ZodType | undefined, value: object, issues: Issue[]): unknown {
  if (schema === undefined) {
    for (const path of Object.keys(value)) issues.push({ path, message: 'unknown parameter' })
    return value
  }
  const parsed = schema.safeParse(value)
  if (parsed.error) issues.push(...issuesOf(parsed.error, schema))
  return parsed.data
}

async function send(response: Response, answer: Answer): Promise<void> {
  if (answer.kind === 'later') {
    releaseBody(response)
    return send(response, await answer.answer())
  }
  response.status(answer.status ?? 200).set(answer.headers ?? {})
  if (answer.kind === 'empty') return void response.end()
  if (answer.kind === 'json') return void response.json(answer.value)
  if (answer.kind === 'events') return sendEvents(response, answer.open)
  const { bytes, chunks } =
    answer.kind === 'chunks' ? { bytes: null, chunks: answer.chunks } : serializeResponse(answer.response)
  response.type('application/json')
  if (bytes !== null) response.set('Content-Length', String(bytes))
  if (response.req.method === 'HEAD') return void response.end()
  if (Buffer.isBuffer(chunks)) return void response.end(chunks)
  // If the source fails midway, the connection closes before the full length or the last chunk: clients see truncation.
  await pipeline(recordingErrors<string | Uint8Array>(chunks, response), response).catch((error) => {
    if (!response.headersSent || response.locals.streamError) throw error
    response.destroy() // the client disconnected
  })
}

/** Records an error of the source, to distinguish it from a client that disconnects. */
async function* recordingErrors<Chunk>(chunks: AsyncIterable<Chunk>, { locals }: Response): AsyncGenerator<Chunk> {
  try {
    yield* chunks
  } catch (error) {
    if (error !== clientGone) locals.streamError = error
    throw error
  }
}

export const isPublishPath = (path: string): boolean => path === '/1.0/publish' || path.startsWith('/1.0/publish/')
