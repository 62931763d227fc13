import * as errors from '../../shared/errors/catalogue.ts'
import { type ModelPage, mostListed } from '../../shared/models/pages.ts'
import type { ModelRecord } from '../../shared/models/records.ts'
import type { Resource } from '../../shared/models/resources.ts'
import { parsePosition, positionText } from './list-position.ts'

/**
 * Bytes of one answer with a list of models. Beyond this limit a page ends early, with `next`; without `limit` the
 * answer is `400 listTooLong`. 10,000 records without long texts have at most 9 MB.
 */
const mostBytes = 16 * 1024 * 1024
/** Records of the first read, which suffices for most lists, and of each later read, which reserves memory. */
const [firstRead, laterRead] = [50, 500]
const laterReadBytes = 8 * 1024 * 1024

export interface List {
  read(page: ModelPage): Promise<ModelRecord[]>
  of: Resource
  /** Reserves bytes of memory until the answer is sent or the returned function is called. @throws 429, 503 */
  reserve(bytes: number): () => void
}

/**
 * JSON text of a list, in pieces. A page ends early, with `next`, at the limit of bytes; without `limit` the list is
 * complete. It is read before the answer starts, so that any error has its status.
 * @throws listTooLong (400) if a list without `limit` has more records or bytes than one answer
 */
export async function listText(
  { read, of, reserve }: List,
  { limit, after }: { limit?: number | undefined; after?: string | undefined },
): Promise<string[]> {
  const pieces: string[] = []
  let position = after === undefined ? null : parsePosition(of, after)
  let [bytes, left] = [0, limit ?? mostListed]
  for (let most = firstRead; ; most = laterRead) {
    const wanted = Math.min(most, left)
    const release = most === firstRead ? () => {} : reserve(laterReadBytes)
    // One extra record shows whether more follow.
    const found = await read({ limit: wanted + 1, after: position })
    const texts: string[] = []
    for (const record of found.slice(0, wanted)) {
      const text = JSON.stringify(record)
      const size = Buffer.byteLength(text)
      if (bytes > 0 && bytes + size > mostBytes) break
      bytes += size
      texts.push(text)
      position = of.sortedBy.map((field) => record[field] as string | number)
    }
    release()
    const text = `${pieces.length === 0 ? `{"${of.many}":[` : ','}${texts.join(',')}`
    // A string takes up to two bytes for each character.
    reserve(2 * text.length)
    pieces.push(text)
    left -= texts.length
    if (texts.length === found.length) return [...pieces, ']}']
    if (texts.length === wanted && left > 0) continue
    if (limit === undefined) throw errors.listTooLong(mostListed, mostBytes)
    return [...pieces, `],"next":"${positionText(position)}"}`]
  }
}
