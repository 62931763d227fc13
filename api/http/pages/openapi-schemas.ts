import { z } from 'zod'

/** RFC 9457. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })

/** Request headers that some endpoints use. */
export const requestHeaders = {
  Prefer: z.string().optional().describe('respond-async, wait=N (0 to 55), return=minimal'),
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .describe('the same publish sent again within 24 hours with the same key gets the same job'),
  'If-None-Match': z.string().optional().describe('the ETag of an earlier answer; 304 if the answer has not changed'),
  'If-Match': z.string().optional().describe('the enver that the record must have, in quotes'),
}

export type RequestHeader = keyof typeof requestHeaders

const header = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })
const sometimes = (description: string) => ({ ...header(description), required: false })

const always = {
  'X-Request-Id': header('the id that the request gave, or a new one'),
  'Cache-Control': header('no-store: caches must not keep the answer'),
}
const retryAfter = { 'Retry-After': header('seconds to wait before the next try') }
const authenticate = { 'WWW-Authenticate': header('how to authenticate, or which scope is missing') }
const etag = { ETag: header('the enver of the record, in quotes: what If-Match takes') }
const digest = { ETag: sometimes('weak, the digest of the packet; none if there are links, or no digest') }
/** Contract 7.3: every response about a queued publish names its job. */
const job = { Location: sometimes('the job of a publish that was queued') }
const applied = { 'Preference-Applied': sometimes('the preferences that were applied') }
const replayed = { 'Idempotent-Replayed': sometimes('true: the same request was made before, this is its job') }

/** Response headers for a status, of an endpoint that uses the request headers `takes`. */
export function responseHeaders(status: number, takes: readonly RequestHeader[], hasETag = false) {
  return {
    ...always,
    ...(status === 401 || status === 403 ? authenticate : {}),
    ...(status === 429 || status === 503 ? retryAfter : {}),
    ...(hasETag && status === 200 ? etag : {}),
    ...(takes.includes('If-None-Match') && (status === 200 || status === 304) ? digest : {}),
    ...(takes.includes('Prefer') && status !== 401 && status !== 403 ? job : {}),
    ...(takes.includes('Idempotency-Key') && (status === 200 || status === 202) ? { ...applied, ...replayed } : {}),
    ...(takes.includes('Prefer') && status === 202 ? retryAfter : {}),
  }
}

/** The token exceeds its rate, or its share of a resource of one API. */
export const tooMuchOfToken = 'Too many requests of this token, or too much of it under way'
