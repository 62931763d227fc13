import { expect, inject } from 'vitest'
import { type ClientAnswer, createClient, type PublishAnswer } from '../../../dev/client.ts'
import { database, uniqueName } from '../../../dev/requests.ts'

const reasons: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

/** Seed, Publish response object: all seven fields in order, all null except `error`. */
export function expectRefused({ status, body }: ClientAnswer<PublishAnswer>, expected: number, message: string): void {
  expect([status, Object.entries(body)]).toEqual([
    expected,
    [
      ['transactionRequest', null],
      ['transactionRequests', null],
      ['fileLocation', null],
      ['fileLocations', null],
      ['fileNames', null],
      ['error', `${expected} ${reasons[expected]}: ${message}`],
      ['usePrefixes', null],
    ],
  ])
}

/** A new org and a valid request for it, so that a refusal can only be due to the change under test. */
export async function startFromValid() {
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens.all as string)
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const request = {
    ...database(inject('stack').neo4j, 'Person', 'id', { Movie: 'title' }),
    originIds: ['p1'],
    metadata: true,
    orgName: org,
    fileName: 'refused',
  }
  return {
    client,
    org,
    request,
    /** Expects the request with this change to be refused; undefined removes a field. */
    async refuses(change: object, ...messages: string[]) {
      expectRefused(await client.post('/1.0/publish/', { ...request, ...change }), 400, messages.join('; '))
    },
  }
}

export const badName = 'must be non-empty, without backslashes, control characters or lone surrogates'
export const manyIds = (count: number, prefix = 'id') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`)
