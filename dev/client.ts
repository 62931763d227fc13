import type { JobRecord } from '../shared/jobs/job.ts'

/** The publish response object as a client sees it. */
export interface PublishAnswer {
  transactionRequest: {
    statements: { statement: string; parameters: Record<string, unknown>; metadata: Record<string, unknown> | null }[]
  } | null
  transactionRequests: { statements: unknown[] }[] | null
  fileLocation: string | null
  fileLocations: string[] | null
  fileNames: string[] | null
  error: string | null
  usePrefixes: boolean | null
}

export interface ClientAnswer<Body> {
  status: number
  headers: Headers
  text: string
  body: Body
}

/**
 * A client of the service. Each call is one request, which includes the headers `always`. An error status does not
 * throw.
 */
export function createClient(apiUrl: string, token: string | null, always: Record<string, string> = {}) {
  async function call<Body = PublishAnswer>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ClientAnswer<Body>> {
    const response = await fetch(apiUrl + path, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...always,
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('Content-Type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : null) as Body,
    }
  }
  return {
    call,
    get: <Body = PublishAnswer>(path: string) => call<Body>('GET', path),
    post: <Body = PublishAnswer>(path: string, body?: unknown, headers?: Record<string, string>) =>
      call<Body>('POST', path, body, headers),
    /** Polls a job until it finishes; `onState` gets each state seen. @throws Error when `limitMs` have passed. */
    async followJob(
      location: string,
      limitMs = 60_000,
      onState: (job: JobRecord) => void = () => {},
    ): Promise<JobRecord> {
      for (const deadline = Date.now() + limitMs; Date.now() < deadline; ) {
        const { body: job } = await call<JobRecord>('GET', `${location}?wait=1`)
        onState(job)
        if (['succeeded', 'failed', 'cancelled'].includes(job.state)) return job
      }
      throw new Error(`the job at ${location} did not finish in ${limitMs} ms`)
    },
  }
}

export type Client = ReturnType<typeof createClient>
