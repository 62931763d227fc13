/** One broken rule of a request: where (`originIds`, `[3].fileName`; '' is the whole body) and what is wrong. */
export interface Issue {
  path: string
  message: string
}

/** Broken rules that are reported of one request: a body can break some millions. Contract 3. */
export const maxIssues = 1_000

interface Details {
  /** May the same work succeed later without the client changing anything? The queue retries only such errors. */
  retryable?: boolean
  headers?: Record<string, string>
  issues?: readonly Issue[]
  cause?: unknown
}

/** An error whose message may be shown to a client: it never holds a stack, a secret, an address or a driver's text. */
export class AppError extends Error {
  readonly status: number
  readonly code: string
  readonly retryable: boolean
  readonly headers: Record<string, string>
  readonly issues: readonly Issue[]

  constructor(status: number, code: string, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.retryable = details.retryable ?? false
    this.headers = details.headers ?? {}
    this.issues = details.issues ?? []
  }
}
