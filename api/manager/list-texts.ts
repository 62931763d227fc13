import * as errors from '../../shared/errors/catalogue.ts'
import type { Page } from '../../shared/manager/pages.ts'
import type { ModelRecord } from '../../shared/manager/records.ts'
import { managerVersion, type Resource } from '../../shared/manager/resources.ts'

const readAtOnce = 1_000

/** JSON text of a list of at most `most` records, which are read in batches to bound memory. */
export async function* listText(
  read: (page: Page) => Promise<ModelRecord[]>,
  of: Resource,
  most: number,
  after?: string,
): AsyncGenerator<string> {
  let position = after === undefined ? null : parsePosition(of, after)
  let separator = `{"${of.many}":[`
  for (let left = most; ; left -= readAtOnce) {
    const wanted = Math.min(readAtOnce, left)
    // One extra record shows whether more follow.
    const found = await read({ limit: wanted + 1, after: position })
    const texts = found.slice(0, wanted).map((record) => JSON.stringify(record))
    yield separator + texts.join(',')
    separator = ','
    if (found.length <= wanted) return yield ']}'
    position = of.sortedBy.map((field) => found[wanted - 1]?.[field] as string | number)
    if (wanted === left) return yield `${nextIs}${Buffer.from(JSON.stringify(position)).toString('base64url')}"}`
  }
}
const nextIs = '],"next":"'

/** Awaits the first piece, so that an error such as a missing parent is thrown before the response starts. */
export async function begun(pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> {
  const { value: first } = await pieces.next()
  return (async function* () {
    yield first as string
    yield* pieces
  })()
}

/** Collects all pieces. @throws listTooLong (400) if more records follow */
export async function whole(pieces: AsyncGenerator<string>, most: number): Promise<AsyncIterable<string>> {
  const texts: string[] = []
  for await (const piece of pieces) texts.push(piece)
  if (texts.at(-1)?.startsWith(nextIs)) throw errors.listTooLong(most)
  return ReadableStream.from(texts)
}

function parsePosition({ sortedBy }: Resource, after: string): (string | number)[] {
  const message = 'must be the `next` of another answer of this list'
  try {
    const position: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    // Versions are sorted by their field "number", all other records by texts.
    const isSortValue = (value: unknown, index: number) =>
      sortedBy[index] === managerVersion.sortedBy[0] ? Number.isSafeInteger(value) : typeof value === 'string'
    if (Array.isArray(position) && position.length === sortedBy.length && position.every(isSortValue)) return position
  } catch {}
  throw errors.invalidRequest([{ path: 'after', message }])
}
