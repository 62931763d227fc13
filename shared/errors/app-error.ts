/** One violation in a request: its location (`originIds`, `[3].fileName`; '' is the whole body) and the rule. */
export interface Issue {
  path: string
  message: string
}

/**
 * Violations that one answer reports. Beyond this limit the answer only counts the rest: a body can contain millions.
 * Contract 3.
 */
export const maxIssues = 1_000

interface Details {
  /** Whether the same work may succeed later without a change by the client. The queue retries only such errors. */
  retryable?: boolean
  headers?: Record<string, string>
  issues?: readonly Issue[]
  cause?: unknown
}

/** An error whose message may be shown to clients: it contains no stack, secret, address or driver message. */
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

/** Makes errors that differ only in what caused them. */
export const caused =
  (status: number, code: string, message: string, details: Details = {}) =>
  (cause?: unknown): AppError =>
    new AppError(status, code, message, { ...details, cause })
