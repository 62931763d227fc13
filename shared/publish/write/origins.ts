import { type OpenSettings, type Origin, openOrigin } from '../../origin/connect.ts'
import { type Learned, nothingLearned } from '../../read/reading.ts'
import { createRelationshipSchema, type RelationshipSchema } from '../../read/schema.ts'
import { createUniqueness, type Uniqueness } from '../../read/uniqueness.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { originName } from '../../request/plan.ts'

/** An open origin, and what is known about it. */
export interface OpenOrigin extends Learned {
  /** Requests with the same key may be read from this origin: the same database, credentials and bookmarks. */
  key: string
  origin: Origin
  uniqueness: Uniqueness
  schema: RelationshipSchema
}

/**
 * Keeps one origin open, reused while requests name the same one. Aborting the signal closes it, even during a read.
 */
export function originsUntil(signal: AbortSignal, policy: OpenSettings, limitSeconds: number) {
  let current: OpenOrigin | null = null
  const end = async (how: 'release' | 'close') => {
    const ended = current
    current = null
    await ended?.origin[how]().catch(() => {})
  }
  const close = () => end('close')
  signal.addEventListener('abort', close, { once: true })
  const keyOf = ({ credentials, bookmarks, ...request }: PublishRequest) =>
    JSON.stringify([originName(request), credentials, bookmarks])
  return {
    /** The open origin, if the request names the same one and may be read in its current transaction; else null. */
    opened: (request: PublishRequest): OpenOrigin | null =>
      current?.key === keyOf(request) && !current.origin.isDue() ? current : null,
    async open(request: PublishRequest): Promise<OpenOrigin> {
      const key = keyOf(request)
      if (current?.key === key) {
        if (await current.origin.renew()) current.schema.renewed()
        return current
      }
      await end('release')
      const origin = await openOrigin(request, policy, limitSeconds, undefined, signal)
      if (signal.aborted) await origin.close().catch(() => {})
      signal.throwIfAborted()
      current = {
        key,
        origin,
        uniqueness: createUniqueness(origin),
        schema: createRelationshipSchema(origin),
        ...nothingLearned(),
      }
      return current
    },
    /** Gives the origin back. Call this if all its reads have succeeded; otherwise it is disconnected. */
    release: () => end('release'),
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', close)
      await close()
    },
  }
}
