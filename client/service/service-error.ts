import { Failure } from '../exit.ts'

const passing = [429, 502, 503]
// A 502 of the service itself speaks of the origin: it says the same again, and wrong credentials may lock the user out.
const passingOfService = [429, 503]

/** The service refused a request, was not reached (`status` null), or answered in a way that it never does (0). */
export class ServiceError extends Failure {
  readonly status: number | null
  readonly headers: Headers

  /** Whether the same request may succeed later. */
  readonly mayPass: boolean

  constructor(
    message: string,
    status: number | null = null,
    headers = new Headers(),
    details: readonly string[] = [],
    mayPass = status === null || passing.includes(status),
  ) {
    super('service', message, details)
    this.status = status
    this.headers = headers
    this.mayPass = mayPass
  }

  get retryAfterSeconds(): number {
    return Number(this.headers.get('Retry-After') ?? 0) || 0
  }
}

/** The error of a response: what its body says, either a publish response object or a problem (RFC 9457). */
export function refusal(response: Response, body: unknown): ServiceError {
  const status = `${response.status} ${response.statusText}`.trim()
  const isRedirect = response.status >= 300 && response.status < 400
  const hint = isRedirect ? '; redirects are not followed: name the other address' : ''
  const own = messageOf(body)
  const mayPass = (own === null ? passing : passingOfService).includes(response.status)
  const message = `the service answered ${own ?? status}${hint}`
  return new ServiceError(message, response.status, response.headers, brokenRulesOf(body), mayPass)
}

function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null
  if ('error' in body && typeof body.error === 'string') return body.error
  if (!('detail' in body && 'status' in body && 'title' in body)) return null
  return `${body.status} ${body.title}: ${body.detail}`
}

function brokenRulesOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('errors' in body) || !Array.isArray(body.errors)) return []
  return body.errors.map(({ path, message }) => `  ${path}: ${message}`)
}

/** The error of a publish of one request, without its place in the list that was sent. */
export function ofOneRequest(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error
  // Not the `[0].` within a path, as in `select[0].label`.
  const plain = (line: string) => line.replace(/(^|\s)\[0\]\./g, '$1')
  const { message, status, headers, details, mayPass } = error
  return new ServiceError(plain(message), status, headers, details.map(plain), mayPass)
}

/** The error of a request that got no answer. @throws `error` itself if the caller gave up. */
export function noAnswer(url: string, error: unknown): ServiceError {
  if (error instanceof Error && error.name === 'AbortError') throw error
  if (error instanceof SyntaxError) return somethingElse(url)
  const cause = (error as { cause?: { code?: string } }).cause
  return new ServiceError(`${url} is not reachable (${cause?.code ?? 'no answer'})`)
}

/** The error of an answer that does not come from this service. */
export const somethingElse = (url: string): ServiceError =>
  new ServiceError(`${url} answered something else than this service does`, 0)
