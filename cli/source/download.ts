import { persist } from '../persist.ts'
import { noAnswer, ServiceError } from '../service-error.ts'

/** A link without its query, which may hold a signature. */
export function withoutQuery(link: string): string {
  const { origin, pathname } = new URL(link)
  return origin + pathname
}

/** Downloads what a link names. Sends no token: the link may lead to any host. @throws ServiceError */
export function download(link: string, signal: AbortSignal): Promise<Buffer> {
  const shown = withoutQuery(link)
  return persist(async () => {
    try {
      const response = await fetch(link, { signal })
      if (response.ok) return Buffer.from(await response.arrayBuffer())
      await response.body?.cancel()
      const hint = response.status === 403 ? '; the link may have expired' : ''
      const message = `${shown} answered ${response.status} ${response.statusText}${hint}`
      throw new ServiceError(message, response.status, response.headers)
    } catch (error) {
      throw error instanceof ServiceError ? error : noAnswer(shown, error)
    }
  }, signal)
}
