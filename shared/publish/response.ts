import { STATUS_CODES } from 'node:http'

/** Statements as stored: passed on as bytes, never parsed and printed again. Contract 6. */
export interface StatementSource {
  /** null if known only after reading: the parameter syntax is converted on the way. */
  bytes: number | null
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** The response of every endpoint of the publish area; every field is present. Seed, Publish response object. */
export interface PublishResponse {
  transactionRequest: StatementSource | null
  transactionRequests: readonly StatementSource[] | null
  fileLocation: string | null
  fileLocations: readonly string[] | null
  fileNames: readonly string[] | null
  error: string | null
  usePrefixes: boolean | null
  /** Listings only: when each of `fileNames` expires, null if never. */
  expiresAt?: readonly (string | null)[]
  /** Listings only: where the next page begins, null on the last page. */
  next?: string | null
}

export const publishResponse = (fields: Partial<PublishResponse>): PublishResponse => ({
  transactionRequest: null,
  transactionRequests: null,
  fileLocation: null,
  fileLocations: null,
  fileNames: null,
  error: null,
  usePrefixes: null,
  ...fields,
})

/**
 * The response of an endpoint that fails: nothing but `error`, such as
 * `400 Bad Request: originIds: required when relationshipIds is empty`. Seed, Errors 1.
 */
export const failedResponse = ({ status, message }: { status: number; message: string }): PublishResponse =>
  publishResponse({ error: `${status} ${STATUS_CODES[status]}: ${message}` })

/** One source fills the singular field, several fill the plural one, in part order. Contract 6. */
export const statementFields = (sources: readonly StatementSource[]): Partial<PublishResponse> =>
  sources.length === 1 ? { transactionRequest: sources[0] as StatementSource } : { transactionRequests: sources }

/** One location fills the singular field, several fill the plural one, in part order. Contract 6. */
export const locationFields = (urls: readonly string[]): Partial<PublishResponse> =>
  urls.length === 1 ? { fileLocation: urls[0] as string } : { fileLocations: urls }

type Piece = Buffer | StatementSource

/**
 * A response as a body, if possible of known length, so that a reader can detect truncation.
 * @returns `bytes` in UTF-8 (null if a source's length is unknown), and the chunks: the sources, and one for all text
 * between two of them, because each chunk is a separate write.
 */
export function serializeResponse(response: PublishResponse): {
  bytes: number | null
  chunks: Buffer | AsyncIterable<Uint8Array>
} {
  const fields = Object.entries(response).flatMap(([field, value], index) => {
    const start = `${index === 0 ? '{' : ','}${JSON.stringify(field)}:`
    return [start, ...valueParts(value)]
  })
  const pieces = joined([...fields, '}'])
  const bytes = pieces.reduce<number | null>((sum, piece) => {
    const own = 'open' in piece ? piece.bytes : piece.length
    return sum === null || own === null ? null : sum + own
  }, 0)
  const [only, ...others] = pieces
  return { bytes, chunks: Buffer.isBuffer(only) && others.length === 0 ? only : chunksOf(pieces) }
}

const isSource = (value: unknown): value is StatementSource =>
  typeof value === 'object' && value !== null && 'open' in value

function valueParts(value: unknown): (string | StatementSource)[] {
  if (isSource(value)) return [value]
  if (!Array.isArray(value) || !value.every(isSource)) return [JSON.stringify(value)]
  return ['[', ...value.flatMap((source, index) => (index === 0 ? [source] : [',', source])), ']']
}

function joined(parts: readonly (string | StatementSource)[]): Piece[] {
  const pieces: Piece[] = []
  let text = ''
  for (const part of parts) {
    if (typeof part !== 'string') pieces.push(Buffer.from(text), part)
    text = typeof part === 'string' ? text + part : ''
  }
  return [...pieces, Buffer.from(text)]
}

async function* chunksOf(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ('open' in piece) yield* await piece.open()
    else yield piece
  }
}
