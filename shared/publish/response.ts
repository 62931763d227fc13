/** Statements as they are stored: passed on as bytes, never parsed and printed again. Contract 6. */
export interface StatementSource {
  bytes: number
  open(): Promise<AsyncIterable<Uint8Array>>
}

/** The answer of every endpoint of the publish area: each field always present. Seed, Publish response object. */
export interface PublishResponse {
  transactionRequest: StatementSource | null
  transactionRequests: readonly StatementSource[] | null
  fileLocation: string | null
  fileLocations: readonly string[] | null
  fileNames: readonly string[] | null
  error: string | null
  usePrefixes: boolean | null
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

/** One source fills the field in the singular, several that in the plural, in part order. Contract 6. */
export const statementFields = (sources: readonly StatementSource[]): Partial<PublishResponse> =>
  sources.length === 1 ? { transactionRequest: sources[0] as StatementSource } : { transactionRequests: sources }

/** One location fills the field in the singular, several that in the plural, in part order. Contract 6. */
export const locationFields = (urls: readonly string[]): Partial<PublishResponse> =>
  urls.length === 1 ? { fileLocation: urls[0] as string } : { fileLocations: urls }

type Piece = Buffer | StatementSource

/**
 * A response as a body of known length: whoever reads it can tell a broken-off one from a whole one.
 * @returns `bytes` in UTF-8, and the chunks.
 */
export function serializeResponse(response: PublishResponse): { bytes: number; chunks: AsyncIterable<Uint8Array> } {
  const pieces: Piece[] = []
  let start = '{'
  for (const [field, value] of Object.entries(response)) {
    pieces.push(Buffer.from(`${start}${JSON.stringify(field)}:`), ...valuePieces(value))
    start = ','
  }
  pieces.push(Buffer.from('}'))
  const bytes = pieces.reduce((sum, piece) => sum + ('open' in piece ? piece.bytes : piece.length), 0)
  return { bytes, chunks: chunksOf(pieces) }
}

const isSource = (value: unknown): value is StatementSource =>
  typeof value === 'object' && value !== null && 'open' in value

function valuePieces(value: unknown): Piece[] {
  if (isSource(value)) return [value]
  if (!Array.isArray(value) || !value.every(isSource)) return [Buffer.from(JSON.stringify(value))]
  const items = value.flatMap((source, index) => (index === 0 ? [source] : [Buffer.from(','), source]))
  return [Buffer.from('['), ...items, Buffer.from(']')]
}

async function* chunksOf(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if ('open' in piece) yield* await piece.open()
    else yield piece
  }
}
