import { usageError } from '../exit.ts'
import { noAnswer, refusal } from './service-error.ts'

type Method = 'GET' | 'POST' | 'DELETE'

interface Options {
  /** Values that are undefined are left out. */
  query?: Record<string, string | number | boolean | undefined>
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  signal?: AbortSignal | undefined
}

/**
 * A path in which each value is one segment, as an org's name may contain slashes.
 * @throws Failure (usage) for an empty value, `.` and `..`, which lead to another path even if they are encoded
 */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
  const dots = values.find((value) => /^\.{0,2}$/.test(value))
  if (dots !== undefined) throw usageError(`"${dots}" names nothing at the service`)
  return String.raw(texts, ...values.map(encodeURIComponent))
}

/**
 * Requests to the service at an address. All throw a `ServiceError` on any answer that is not a success.
 * @param fetchOne sends each request
 */
export function createRequests(baseUrl: string, token: string, fetchOne: typeof fetch = fetch) {
  async function send(method: Method, path: string, options: Options): Promise<Response> {
    const { query = {}, headers = {}, body, signal = null } = options
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
    const init = {
      method,
      headers: {
        ...headers,
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      // Following a redirect could send the credentials in the body of a publish to any host.
      redirect: 'manual' as const,
    }
    const url = `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`
    const response = await answered(fetchOne(url, init))
    if (!response.ok) throw refusal(response, jsonOrNull(await answered(response.text())))
    return response
  }

  async function answered<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error) => {
      throw noAnswer(baseUrl, error)
    })
  }

  return {
    send,

    /** The content of an answer, by default parsed as JSON; undefined if it is empty. */
    async ask<T>(method: Method, path: string, options: Options, read = parsed): Promise<T> {
      const response = await send(method, path, options)
      return answered(response.text().then((text) => read(text) as T))
    },
  }
}

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
