import { z } from 'zod'

const statement = z
  .object({
    statement: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Statement' })

const packet = z.object({ statements: z.array(statement) }).meta({ id: 'Packet' })

/** Seed, Publish response object: every field is always present. */
export const publishResponseBody = z
  .object({
    transactionRequest: packet.nullable(),
    transactionRequests: z.array(packet).nullable(),
    fileLocation: z.string().nullable(),
    fileLocations: z.array(z.string()).nullable(),
    fileNames: z.array(z.string()).nullable(),
    error: z.string().nullable(),
    usePrefixes: z.boolean().nullable(),
  })
  .meta({ id: 'PublishResponse' })

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

/** Headers that some endpoints look at. */
export const requestHeaders = {
  Prefer: z.string().optional().describe('respond-async, wait=N (0 to 55), return=minimal'),
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/)
    .optional()
    .describe('the same publish sent again within 24 hours with the same key gets the same job'),
  'If-Match': z.string().optional().describe('the enver that the record must have, in quotes'),
}

export type RequestHeader = keyof typeof requestHeaders

const header = (description: string) => ({ description, schema: { type: 'string' as const } })

const always = { 'X-Request-Id': header('of the request, or one that was made for it') }
const retryAfter = { 'Retry-After': header('seconds until it is worth trying again') }
const location = { Location: header('the job of a publish that was queued') }

export function responseHeaders(status: number) {
  if (status === 401) return { ...always, 'WWW-Authenticate': header('how to authenticate') }
  if (status === 429 || status === 503) return { ...always, ...retryAfter }
  if (status === 202)
    return { ...always, ...location, ...retryAfter, 'Preference-Applied': header('what of Prefer was applied') }
  return always
}
