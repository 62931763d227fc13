import { SourceBroken } from '../../packet/broken.ts'
import { size } from '../format.ts'
import { withinTime } from '../service/delay.ts'
import { persist } from '../service/persist.ts'
import { noAnswer, ServiceError } from '../service/service-error.ts'
import { longestPart } from './source.ts'

const passing = [429, 500, 502, 503, 504]
/** Time in which a store must begin to answer. Beyond this limit the client tries again. */
const longestAnswerMs = 60_000

/** A link without its query, which may hold a signature. */
export function withoutQuery(link: string): string {
  const { origin, pathname } = new URL(link)
  return origin + pathname
}

/** Downloads what a link names. Sends no token: the link may lead to any host. @throws ServiceError, SourceBroken */
export function download(link: string, signal: AbortSignal): Promise<Buffer> {
  const shown = withoutQuery(link)
  return persist(async () => {
    try {
      const response = await withinTime(longestAnswerMs, (late) =>
        fetch(link, { signal: AbortSignal.any([signal, late]) }),
      )
      if (response.ok) return await contentOf(response)
      await response.body?.cancel()
      const hint = response.status === 403 ? '; the link may have expired' : ''
      const message = `${shown} answered ${response.status} ${response.statusText}${hint}`
      throw new ServiceError(message, response.status, response.headers, [], passing.includes(response.status))
    } catch (error) {
      throw error instanceof ServiceError || error instanceof SourceBroken
        ? error
        : (damaged(error) ?? noAnswer(shown, error))
    }
  }, signal)
}

/** If a body sent with `Content-Encoding` cannot be decompressed, its stored form is damaged, and no retry helps. */
function damaged(error: unknown): SourceBroken | null {
  const { code = '' } = (error as { cause?: { code?: string } }).cause ?? {}
  return code.startsWith('Z_') ? new SourceBroken(`it cannot be decompressed (${code})`) : null
}

/** A host may send anything, even compressed, so a body that is too long for a part is not read to its end. */
async function contentOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > longestPart) throw new SourceBroken(`it has more than ${size(longestPart)}, as no part has`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
