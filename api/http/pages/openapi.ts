import { z } from 'zod'
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi'
import { publishResponseBody } from '../../../wire/publish-response.ts'
import { noOrg } from '../access.ts'
import type { Endpoint } from '../endpoint.ts'
import { isPublishPath } from '../mount.ts'
import { problem, requestHeaders, responseHeaders, tooMuchOfToken } from './openapi-schemas.ts'

/** The OpenAPI document, generated from the schemas that validate requests, so the two cannot diverge. */
export function openApiDocument(endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const sharing of Map.groupBy(endpoints, ({ path }) => path.replaceAll(/:\w+/g, ':')).values()) {
    const names = sharedNames(sharing)
    const operations = sharing.map((endpoint) => [endpoint.method, operationOf(endpoint, names)])
    let at = 0
    paths[(sharing[0] as Endpoint).path.replaceAll(/:\w+/g, () => `{${names[at++]}}`)] = Object.fromEntries(operations)
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Graph packets',
      version: '1.0',
      description:
        'Publishes subsets of graph databases as packets of statement/parameter pairs, manages graph data models, and ' +
        'generates search index policies.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: areas.map(([, name, description]) => ({ name, description })),
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths,
  } as ZodOpenApiObject)
}

const areas = [
  ['/1.0/publish', 'Publish', 'Packets: make, store, list, read and remove them'],
  ['/1.0/jobs', 'Jobs', 'Follow and cancel publishes that take longer'],
  ['/1.0/manager', 'Manager', 'Graph data models'],
  ['/1.0/search', 'Search', 'Search index policies, of the manager named `default`, whatever its org'],
  ['/1.0/', 'Service', 'What a token may see, and the state of the service'],
] as const

const namesOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)

/**
 * Parameter names of endpoints that share a path, because OpenAPI considers `/{a}` and `/{b}` the same. If names
 * differ, they share the name that all others start with, or else `grn`, and each operation describes its own.
 */
function sharedNames(sharing: readonly Endpoint[]): string[] {
  const [first = [], ...rest] = sharing.map(({ path }) => namesOf(path))
  return first.map((name, at) => {
    const own = [name, ...rest.map((names) => names[at] as string)]
    return own.find((one) => own.every((other) => other.startsWith(one))) ?? 'grn'
  })
}

function paramsNamed({ path, params }: Endpoint, names: readonly string[]): z.ZodObject {
  const { shape } = params as z.ZodObject
  const named = namesOf(path).map((own, at) => {
    const schema = shape[own] as z.ZodType
    return [names[at] as string, names[at] === own ? schema : schema.describe(own)]
  })
  return z.object(Object.fromEntries(named))
}

function operationOf(endpoint: Endpoint, names: readonly string[]): ZodOpenApiOperationObject {
  const { path, summary, scope, body, params, query, takes = [] } = endpoint
  const area = areas.find(([start]) => path.startsWith(start))
  const headers =
    takes.length > 0 ? { header: z.object(Object.fromEntries(takes.map((name) => [name, requestHeaders[name]]))) } : {}
  return {
    operationId: idOf(endpoint),
    summary,
    tags: [area?.[1] as string],
    ...(scope === null ? { security: [] } : { description: scope === 'any' ? 'Any token.' : `Scope: \`${scope}\`.` }),
    requestParams: {
      ...(params ? { path: paramsNamed(endpoint, names) } : {}),
      ...(query ? { query } : {}),
      ...headers,
    } as ZodOpenApiOperationObject['requestParams'] & object,
    ...(body
      ? {
          requestBody: {
            required: body.isOptional !== true,
            content: {
              'application/json': { schema: body.schema, example: body.example },
            },
          },
        }
      : {}),
    responses: responsesOf(endpoint) as ZodOpenApiOperationObject['responses'],
  }
}

/** Method and path in camel case, parameter names included: `getJobsId`. */
function idOf({ method, path }: Endpoint): string {
  const words = path.split(/[/:]+/).filter((word) => word !== '' && word !== '1.0')
  return [method, ...words.map((word) => word[0]?.toUpperCase() + word.slice(1))].join('')
}

/** All response statuses: the ones derived from the endpoint's definition, and `answers`. */
function responsesOf(endpoint: Endpoint) {
  const { answers = {}, body, access, params, answer, takes = [] } = endpoint
  const error = isPublishPath(endpoint.path) ? publishErrorBody : answer === 'publish' ? resultErrorBody : problemBody
  const descriptions: Record<string, string> = {
    200: 'Done',
    400: 'The request breaks rules; the answer lists them all',
    ...(endpoint.scope === null ? {} : { 401: 'The token is missing or invalid' }),
    ...(endpoint.scope === null || endpoint.scope === 'any' ? {} : { 403: 'The token lacks the scope' }),
    ...(access === noOrg && !params ? {} : { 404: 'It does not exist, or belongs to another org' }),
    ...(body ? { 408: 'The body was not received in time', 413: 'Too large', 415: 'Not JSON' } : {}),
    ...(takes.includes('If-None-Match') ? { 304: 'The answer has not changed' } : {}),
    429: tooMuchOfToken,
    500: 'Internal error; quote the request id when reporting it',
    503: 'A dependency does not answer, or the service is busy',
    ...answers,
  }
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => {
      const isError = Number(status) >= 400
      const content = isError ? error : status === '304' ? {} : successBody(answer)
      return [status, { description, headers: responseHeaders(Number(status), takes, endpoint.hasETag), ...content }]
    }),
  )
}

const publishErrorBody = { content: { 'application/json': { schema: publishResponseBody } } }
const problemBody = { content: { 'application/problem+json': { schema: problem } } }
/** The result of a failed publish is a publish response; an error of the request itself is a problem. */
const resultErrorBody = { content: { ...publishErrorBody.content, ...problemBody.content } }

function successBody(answer: Endpoint['answer']): object {
  if (answer === 'empty') return {}
  if (answer === 'publish') return publishErrorBody
  if ('events' in answer) {
    return { content: { 'text/event-stream': { schema: { type: 'string' }, example: answer.events } } }
  }
  return { content: { 'application/json': { schema: answer } } }
}
